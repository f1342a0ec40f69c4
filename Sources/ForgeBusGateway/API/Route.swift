import ForgeBusProtocol
import HTTPTypes

/// A route of the API: a path with a method, and the request to the worker that it stands for.
///
/// The parts of the HTTP request become the frames of a request of the bus, and the bus's own reader checks them. So a
/// route has the names, the limits and the errors of its command.
struct Route: Sendable {
    let method: HTTPRequest.Method
    let path: PathTemplate
    /// The route's name in the OpenAPI document.
    let name: String
    /// What the route does, in one sentence.
    let summary: String
    /// The word of the command in frame 0.
    let verb: String
    /// The subject: a text in which `{NAME}` stands for the part of the path with this name.
    let subject: String
    /// The attributes that the sender may give in the query.
    var query: [String] = []
    /// The query parameters that the gateway itself reads, for a route to a fleet; nil for a route to one worker.
    var fleet: [String]?
    /// The attributes that the route always sends.
    var fixed: JSONObject = [:]
    var body = BodyForm.none
    var answer = AnswerForm.item

    /// What the body of the HTTP request is.
    enum BodyForm: Hashable, Sendable {
        /// The route takes no body.
        case none
        /// Any bytes, or a CloudEvent.
        case change
        /// A JSON object with the seeds.
        case seeds
        /// A JSON object with at most one member, whose value is the body of the command.
        case member(String)
    }

    /// What the route answers.
    enum AnswerForm: Hashable, Sendable {
        /// An object.
        case item
        /// A page of objects; with a kind, only items of this kind.
        case page(kind: String?)
        /// A verdict, or a problem if the decision had no effect.
        case verdict
        /// What a notification caused.
        case change
        /// The acceptance of a run, or its result.
        case run
        /// What all workers of a fleet say, also as a stream of what is known of each.
        case report
        /// A run, also as a stream of its changes.
        case followedRun
        /// A stream of events.
        case events
    }

    /// All parameters of the query.
    var parameters: [String] { query + (fleet ?? []) }

    /// Whether the request's id makes a repetition harmless, so that the sender may choose it.
    var takesRequestID: Bool { method == .post }
}

/// A path whose segments may be names in braces: `/v1/runs/{run}`.
struct PathTemplate: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    let description: String
    private let segments: [Substring]

    init(stringLiteral text: String) {
        description = text
        segments = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { $0 }
    }

    /// The names in braces.
    var parameters: [String] {
        segments.filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    /// The values of the names in braces, if the path has this form; otherwise nil.
    func match(_ path: [String]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            if segment.hasPrefix("{"), !text.isEmpty {
                values[String(segment.dropFirst().dropLast())] = text
            } else if segment != text {
                return nil
            }
        }
        return values
    }
}

extension Route {
    /// The request to the worker that an HTTP request means.
    ///
    /// - Parameters:
    ///   - request: The HTTP request.
    ///   - parameters: The values of the names in the route's path.
    ///   - id: The request's id.
    /// - Returns: The request, with the sender's principal.
    /// - Throws: `BusError` with the code of the first flaw.
    func request(_ request: APIRequest, _ parameters: [String: String], id: RequestID) throws(BusError) -> Request {
        var attributes = fixed
        for (name, text) in request.query {
            guard query.contains(name) else { throw Errors.unknownParameter(name, of: self) }
            guard attributes[name] == nil else {
                throw Errors.repeatedParameter(name)
            }
            attributes[name] = Self.attribute(name, text)
        }
        if let traceparent = request.fields[.traceparent], traceparent.utf8.count <= 128 {
            attributes["traceparent"] = .string(traceparent)
        }
        if let principal = request.sender.principal { attributes["as"] = .string(principal.text) }
        let frames = Frames(
            command: Array("FORGE/1 \(verb)".utf8)[...],
            id: Array(id.text.utf8)[...],
            subject: Array(subject(parameters).utf8)[...],
            attributes: attributes.isEmpty ? [] : JSONValue.object(attributes).encoded[...],
            body: try frame(of: request)[...]
        )
        return try Request(decoding: frames)
    }

    /// The value of a query parameter as the attribute with this name has it: a number, or a string.
    ///
    /// A text that is no number stays a string, and the bus's reader refuses it with the right message.
    private static func attribute(_ name: String, _ text: String) -> JSONValue {
        let isNumber = name.hasSuffix("_ms") || name == "limit"
        return isNumber ? Int64(text).map { .integer($0) } ?? .string(text) : .string(text)
    }

    private func subject(_ parameters: [String: String]) -> String {
        var subject = subject
        for (name, value) in parameters { subject.replace("{\(name)}", with: value) }
        return subject
    }

    private func frame(of request: APIRequest) throws(BusError) -> [UInt8] {
        switch body {
        case .none: return []
        case .change: return try CloudEvent.data(of: request)
        case .seeds: return try checkedJSON(of: request) == nil ? [] : request.body
        case .member(let name):
            guard let value = try checkedJSON(of: request) else { return [] }
            guard case .object(let object) = value else {
                throw Errors.notAnObject(value, member: name, of: self)
            }
            if let other = object.entries.first(where: { $0.key != name }) {
                throw Errors.unknownMember(other.key, besides: name, of: self)
            }
            return object[name]?.encoded ?? []
        }
    }

    /// The body as JSON; nil for an empty body.
    private func checkedJSON(of request: APIRequest) throws(BusError) -> JSONValue? {
        guard !request.body.isEmpty else { return nil }
        let type = request.mediaType
        guard type == "application/json" || type?.hasSuffix("+json") == true else {
            throw Errors.unsupportedType(type, expected: "application/json")
        }
        return try JSONValue(parsingShown: request.body[...])
    }
}
