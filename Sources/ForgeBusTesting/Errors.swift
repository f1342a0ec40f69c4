import ForgeBusProtocol

/// The words of this module's errors.
enum Errors {
    static func stillBusy(_ activities: [String], after patience: Duration) -> TestWorkerError {
        let what = activities.isEmpty ? "unknown work" : activities.formatted
        return TestWorkerError(
            "The worker did not settle within \(patience) of real time. The following work has not ended, and does not "
                + "wait for the clock, a decision or a slot: \(what).",
            next: "Let actions sleep on the worker's `clock`, let the test resume what they wait for (such as a "
                + "`CompletionSignal`), or pass a longer `patience` to the TestWorker or, if the test calls "
                + "`settle(within:)`, a longer time to that call."
        )
    }

    static let endedUnanswered = TestWorkerError(
        "The worker ended before it answered the request.",
        next: "Call restart(), then send the request again."
    )

    static let stopped = TestWorkerError(
        "The test worker was stopped.",
        next: "Call restart() before you use the worker again."
    )

    static func unexpectedAnswer(to verb: String) -> BusError {
        BusError(
            .badAnswer,
            "The worker answered \(verb) with an unexpected kind of answer.",
            next: "Report this as an error in ForgeBus."
        )
    }
}
