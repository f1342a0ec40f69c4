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

    /// The message and the advice as one text.
    public var description: String { "\(message) \(next)" }
}

extension [String] {
    /// The elements as one text, with commas between them.
    var formatted: String { joined(separator: ", ") }
}
