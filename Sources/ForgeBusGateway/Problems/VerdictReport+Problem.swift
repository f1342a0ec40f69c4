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
                "The principal \(standing.sender) has already \(standing.decision.rawValue) the signal \(signal).",
                next:
                    "That decision stands; yours is the opposite, or has another value or reason. "
                    + "/v1/history/\(signal) shows what happened to the signal. If that decision is your own early "
                    + "decision or vote, POST /v1/gates/\(signal)/withdraw takes it back."
            )
        case .expired:
            refusal(
                .decisionExpired,
                "The deadline of the signal \(signal) passed before this decision came.",
                next:
                    "/v1/history/\(signal) shows what happened. If the run that needed this decision is still wanted, "
                    + "request a new run."
            )
        case .closed(let why):
            refusal(
                .decisionClosed,
                "The signal \(signal) is closed: \(why)",
                next: "No decision is needed any more; /v1/history/\(signal) shows what happened."
            )
        case .forbidden(let why):
            refusal(
                .decisionForbidden,
                "The gate \(signal) does not accept this decision: \(why)",
                next:
                    "While the gate waits, ask one of the principals that `may_decide` in /v1/gates/\(signal) names. "
                    + "If `may_decide` is absent or names nobody, ask the worker's operator."
            )
        case .unknown(let why):
            refusal(
                .decisionUnknown,
                why.isEmpty ? "Nothing waits for \(signal)." : why,
                next:
                    "Compare the id with those in /v1/signals, which lists the signals that wait. Each new decision "
                    + "needs a new Idempotency-Key. The query parameter `keep_ms` asks the worker to keep an early "
                    + "decision on a gate for this number of milliseconds."
            )
        }
    }

    private func refusal(_ code: ErrorCode, _ message: String, next: String) -> BusError {
        BusError(code, message, next: next, details: json)
    }
}

extension Verdict.Standing {
    /// The principal that decided, and the one that sent its decision, as `"ada" via "gateway"`.
    fileprivate var sender: String { "\"\(principal)\"\(via.map { " via \"\($0)\"" } ?? "")" }
}
