/// An error of the bus: a code for programs and two sentences for people, the cause and the next move.
///
/// A worker sends it as ERROR, a client throws it. Branch on ``code``; show the sentences.
public struct BusError: Error, Hashable, Sendable {
    /// The error's entry in the catalogue.
    public var code: ErrorCode
    /// The cause, one sentence.
    public var message: String
    /// What to do now, one sentence.
    public var next: String
    /// How long to wait before sending the same request again; nil leaves it to the sender.
    public var retryAfter: Duration?
    /// Details for programs: `limit` of a busy worker, `run` of an id conflict.
    public var details: JSONObject

    /// Makes an error.
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
