import ForgeBusProtocol
import HTTPTypes

/// The answer to an HTTP request.
struct APIResponse: Sendable {
    var status: HTTPResponse.Status
    /// The header fields, beside those that each answer has.
    var fields: HTTPFields = [:]
    var body = Body.none

    enum Body: Sendable {
        case none
        case bytes([UInt8], type: String)
        /// A stream of server-sent events: the closure sends them, and the answer ends when it returns.
        case events(@Sendable (_ send: EventSink) async throws -> Void)
    }

    init(_ status: HTTPResponse.Status, fields: HTTPFields = [:]) { (self.status, self.fields) = (status, fields) }

    init(_ status: HTTPResponse.Status, _ json: JSONObject, fields: HTTPFields = [:]) {
        self.init(status, fields: fields)
        body = .bytes(JSONValue.object(json).encoded, type: "application/json")
    }

    init(_ problem: Problem) {
        self.init(problem.status, fields: problem.fields)
        body = .bytes(JSONValue.object(problem.json).encoded, type: Problem.mediaType)
    }
}

/// Sends an event of a stream; throws if the reader has left.
typealias EventSink = (ServerEvent) async throws -> Void

/// One server-sent event, or a comment that keeps the connection open.
struct ServerEvent: Hashable, Sendable {
    /// The type of the event; nil for a comment.
    var name: String?
    /// The id that a reader sends as `Last-Event-ID` when it connects again; nil leaves the last id as it is.
    var id: String?
    var data = JSONObject()

    /// A comment, which readers ignore.
    static let comment = ServerEvent()

    /// The event as it is sent; JSON has no line ends, so the data is one line.
    var text: String {
        guard let name else { return ":\n\n" }
        return "event: \(name)\n" + (id.map { "id: \($0)\n" } ?? "") + "data: \(data)\n\n"
    }
}
