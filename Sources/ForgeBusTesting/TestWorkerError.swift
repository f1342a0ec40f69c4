/// A test worker could not do what the test asks.
public struct TestWorkerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cause, one sentence.
    public var message: String
    /// What to do now, one sentence.
    public var next: String

    /// An error of a test worker.
    public init(_ message: String, next: String) {
        self.message = message
        self.next = next
    }

    init(stillBusy activities: [String], after patience: Duration) {
        let what = activities.isEmpty ? "Something" : activities.formatted
        self.init(
            "\(what.prefix(1).uppercased())\(what.dropFirst()) went on for \(patience), and waits for nothing that the "
                + "worker knows of.",
            next: "Let it wait by the worker's clock, end what else it waits for, or give the worker more patience."
        )
    }

    /// The cause, then the next move.
    public var description: String { "\(message) \(next)" }
}

extension [String] {
    /// The words with commas between them.
    var formatted: String { joined(separator: ", ") }
}
