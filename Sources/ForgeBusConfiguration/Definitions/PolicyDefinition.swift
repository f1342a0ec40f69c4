import ForgeBusWorker

/// Reads the failure policy of a pipeline's action: the attempts, and whether the run is parked after the last one.
enum PolicyDefinition {
    private static let choices: KeyValuePairs<String, ActionPolicy.OnFailure> = ["park": .park, "proceed": .proceed]

    /// The policy; nil if the action has none of these keys.
    ///
    /// Without a policy, there is one attempt, and the run continues after a failure.
    static func policy(_ fields: Fields) -> ActionPolicy? {
        guard fields["retry"] != nil || fields["on_failure"] != nil else { return nil }
        let retry = fields.fields("retry").flatMap(retry)
        let onFailure = fields.choice("on_failure", choices)
        return ActionPolicy(
            attempts: retry?.attempts ?? 1,
            backoff: retry?.backoff ?? .seconds(1),
            onFailure: onFailure ?? .proceed
        )
    }

    private static func retry(_ fields: Fields) -> (attempts: Int, backoff: Duration?)? {
        let attempts = fields.required("attempts").flatMap { _ in fields.integer("attempts") }
        let backoff = fields.time("backoff")
        return attempts.map { ($0, backoff) }
    }
}
