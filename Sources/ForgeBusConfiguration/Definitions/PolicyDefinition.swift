import ForgeBusWorker

/// Reads the failure policy of a pipeline's action: the attempts, and whether the run is parked after the last one.
enum PolicyDefinition {
    /// An action's keys for the policy.
    static let keys = ["retry", "on_failure"]

    private static let attempts = 1...1_000
    private static let backoffs = 0...300_000
    private static let choices: KeyValuePairs<String, ActionPolicy.OnFailure> = ["park": .park, "proceed": .proceed]

    /// The policy; nil if the action has none of these keys.
    ///
    /// Without a policy, there is one attempt, and the run continues after a failure.
    static func policy(_ fields: Fields) -> ActionPolicy? {
        guard fields["retry"] != nil || fields["on_failure"] != nil else { return nil }
        let retry = fields["retry"].flatMap(retry)
        let onFailure = fields["on_failure"].flatMap(onFailure)
        return ActionPolicy(
            attempts: retry?.attempts ?? 1,
            backoff: retry?.backoff ?? .seconds(1),
            onFailure: onFailure ?? .proceed
        )
    }

    private static func retry(_ entry: Entry) -> (attempts: Int, backoff: Duration?)? {
        guard let fields = Fields(entry, ["attempts", "backoff_ms"], of: "`retry`") else { return nil }
        let attempts = fields.required("attempts", "it is the total number of attempts, including the first")
            .flatMap { $0.integer(Self.attempts) }
        let backoff = fields["backoff_ms"]?.milliseconds(backoffs)
        return attempts.map { ($0, backoff) }
    }

    private static func onFailure(_ entry: Entry) -> ActionPolicy.OnFailure? {
        entry.choice(choices, "`park` or `proceed`")
    }
}
