import ForgeBusProtocol

extension VerdictReport {
    /// The error of a decision that did not do what its sender wanted; nil for any other verdict.
    ///
    /// The details are the members of the verdict.
    var refusal: BusError? {
        switch verdict {
        case .delivered, .counted, .buffered, .duplicate: nil
        case .conflict(let standing):
            refusal(
                .decisionConflict,
                "\(standing.sender) has already \(standing.decision.rawValue) \(signal).",
                next: "Ask \(standing.principal), or look at /v1/history/\(signal)."
            )
        case .expired:
            refusal(
                .decisionExpired,
                "The time to decide \(signal) is over.",
                next: "Look at /v1/history/\(signal); start the run again if it should still happen."
            )
        case .closed(let why):
            refusal(.decisionClosed, "\(signal) is closed: \(why)", next: "Look at /v1/history/\(signal).")
        case .forbidden(let why):
            refusal(
                .decisionForbidden,
                "\(signal): \(why)",
                next: "Ask one of those who may decide; /v1/gates/\(signal) names them."
            )
        case .unknown(let why):
            refusal(
                .decisionUnknown,
                why.isEmpty ? "Nothing waits for \(signal)." : why,
                next:
                    "Look for the id in /v1/signals. Decide with a new Idempotency-Key when the signal waits, or send `keep_ms` "
                    + "with the decision, so that the worker keeps it."
            )
        }
    }

    private func refusal(_ code: ErrorCode, _ message: String, next: String) -> BusError {
        BusError(code, message, next: next, details: json)
    }
}

extension Verdict.Standing {
    /// The principal that decided, and the one that sent its decision, as `ada via gateway`.
    fileprivate var sender: String { via.map { "\(principal) via \($0)" } ?? principal }
}
