/// An error of the bus, with a code for programs and two sentences for people: the cause and the next move.
///
/// A worker sends the error as an ERROR message, and a client throws the error. A program branches on ``code``, and
/// shows the two sentences to people.
public struct BusError: Error, Hashable, Sendable {
    /// The error's code; ``ErrorCode/catalogue`` lists the known codes.
    public var code: ErrorCode
    /// The cause, in one sentence.
    public var message: String
    /// The next move for the person who reads the error, in one sentence.
    public var next: String
    /// How long to wait before sending the same request again; nil if the sender may choose the time.
    public var retryAfter: Duration?
    /// Details for programs, for instance `limit` of a `busy` error or `run` of an `id_conflict` error.
    public var details: JSONObject

    /// Makes an error from a code, a sentence with the cause, a sentence with the next move, and optional details.
    public init(
        _ code: ErrorCode,
        _ message: String,
        next: String,
        retryAfter: Duration? = nil,
        details: JSONObject = [:]
    ) {
        self.code = code
        self.message = message
        self.next = next
        self.retryAfter = retryAfter
        self.details = details
    }

    /// Whether sending the same request again, unchanged and with the same id, can succeed.
    public var isRetryable: Bool { code.isRetryable }
}

extension BusError: CustomStringConvertible {
    /// The code and both sentences.
    public var description: String { "\(code): \(message) \(next)" }
}
