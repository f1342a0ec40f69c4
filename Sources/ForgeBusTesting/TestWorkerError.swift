/// The error of a test worker that did not settle within its patience, or that was stopped or has ended.
public struct TestWorkerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence that describes the cause.
    public var message: String
    /// One sentence that tells the reader how to continue.
    public var next: String

    /// Makes an error from its two sentences.
    public init(_ message: String, next: String) {
        self.message = message
        self.next = next
    }

    init(stillBusy activities: [String], after patience: Duration) {
        let what = activities.isEmpty ? "unknown work" : activities.formatted
        self.init(
            "The worker did not settle within \(patience) of real time. The following work has not ended, and does not "
                + "wait for the clock, a decision or a slot: \(what).",
            next: "Let actions sleep on the worker's `clock`, let the test resume what they wait for (such as a "
                + "`CompletionSignal`), or pass a longer `patience` to the TestWorker or, if the test calls "
                + "`settle(within:)`, a longer time to that call."
        )
    }

    /// The message and the advice as one text.
    public var description: String { "\(message) \(next)" }
}

extension [String] {
    /// The elements as one text, with commas between them.
    var formatted: String { joined(separator: ", ") }
}
