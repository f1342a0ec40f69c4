import ForgeBusProtocol

/// The refusals of decisions that did not do what their senders wanted; the details are the members of the verdict.
extension Errors {
    static func decisionConflict(_ report: VerdictReport, _ standing: Verdict.Standing) -> BusError {
        BusError(
            .decisionConflict,
            "The principal \(sender(standing)) has already \(standing.decision.rawValue) the signal \(report.signal).",
            next:
                "That decision stands; yours is the opposite, or has another value or reason. "
                + "/v1/history/\(report.signal) shows what happened to the signal. If that decision is your own early "
                + "decision or vote, POST /v1/gates/\(report.signal)/withdraw takes it back.",
            details: report.json
        )
    }

    static func decisionExpired(_ report: VerdictReport) -> BusError {
        BusError(
            .decisionExpired,
            "The deadline of the signal \(report.signal) passed before this decision came.",
            next:
                "/v1/history/\(report.signal) shows what happened. If the run that needed this decision is still wanted, "
                + "request a new run.",
            details: report.json
        )
    }

    static func decisionClosed(_ report: VerdictReport, why: String) -> BusError {
        BusError(
            .decisionClosed,
            "The signal \(report.signal) is closed: \(why)",
            next: "No decision is needed any more; /v1/history/\(report.signal) shows what happened.",
            details: report.json
        )
    }

    static func decisionForbidden(_ report: VerdictReport, why: String) -> BusError {
        BusError(
            .decisionForbidden,
            "The gate \(report.signal) does not accept this decision: \(why)",
            next:
                "While the gate waits, ask one of the principals that `may_decide` in /v1/gates/\(report.signal) names. "
                + "If `may_decide` is absent or names nobody, ask the worker's operator.",
            details: report.json
        )
    }

    static func decisionUnknown(_ report: VerdictReport, why: String) -> BusError {
        BusError(
            .decisionUnknown,
            why.isEmpty ? "Nothing waits for \(report.signal)." : why,
            next:
                "Compare the id with those in /v1/signals, which lists the signals that wait. Each new decision "
                + "needs a new Idempotency-Key. The query parameter `keep_ms` asks the worker to keep an early "
                + "decision on a gate for this number of milliseconds.",
            details: report.json
        )
    }

    /// The principal that decided, and the one that sent its decision, as `"ada" via "gateway"`.
    private static func sender(_ standing: Verdict.Standing) -> String {
        "\"\(standing.principal)\"\(standing.via.map { " via \"\($0)\"" } ?? "")"
    }
}
