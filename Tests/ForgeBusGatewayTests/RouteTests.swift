import ForgeBusProtocol
import HTTPTypes
import Testing

@testable import ForgeBusGateway

@Suite("A route")
struct RouteTests {
    @Test("has query parameters that are attributes of its command", arguments: Route.all(withFleet: true))
    func attributes(route: Route) throws {
        let verb = try #require(Request.Command.verbs.first { $0.words.contains(route.verb) })
        let known = Set(verb.attributes)
        #expect(known.isSuperset(of: route.query))
        #expect(known.isSuperset(of: route.fixed.entries.map(\.key)))
    }

    @Test("uses every part of its path", arguments: Route.all(withFleet: true))
    func parts(route: Route) {
        for name in route.path.parameters { #expect(route.subject.contains("{\(name)}")) }
        #expect(route.subject.filter { $0 == "{" }.count == route.path.parameters.count)
    }

    @Test("changes something only with POST", arguments: Route.all(withFleet: true))
    func methods(route: Route) throws {
        let reads = ["LIST", "SHOW", "WATCH"].contains(route.verb)
        #expect(route.method == (reads ? .get : .post))
    }

    @Test("differs from every other in name, and in path or method")
    func distinct() {
        let all = Route.all(withFleet: true)
        #expect(Set(all.map(\.name)).count == all.count)
        #expect(Set(all.map { "\($0.method) \($0.path)" }).count == all.count)
    }

    @Test("becomes the request of the bus")
    func request() throws {
        let route = try #require(Route.all.first { $0.name == "run" })
        let asked = try route.request(
            .made(
                query: [("deadline_ms", "500")],
                fields: [.contentType: "application/json; charset=utf-8", .traceparent: "00-a-b-01"],
                body: #"{"user": "ada"}"#,
                sender: Sender(principal: "ada")
            ),
            ["pipeline": "feed"],
            id: RequestID("key-1")
        )
        let expected = Request(
            .run(RunRequest(pipeline: "feed", seeds: ["user": "ada"], isDetached: true, deadline: .milliseconds(500))),
            id: try RequestID("key-1"),
            traceparent: "00-a-b-01",
            as: "ada"
        )
        #expect(asked == expected)
    }

    @Test(
        "refuses what it does not read",
        arguments: [
            // What of the flaw the error shows.
            (Malformed(query: [("deadlin_ms", "1")]), ErrorCode.badAttribute, "`deadline_ms`"),
            (Malformed(query: [("as", "bob")]), .badAttribute, "\"as\""),
            (Malformed(query: [("reply", "result")]), .badAttribute, "\"reply\""),
            (Malformed(query: [("deadline_ms", "1"), ("deadline_ms", "2")]), .badAttribute, "`deadline_ms`"),
            (Malformed(query: [("deadline_ms", "soon")]), .badAttribute, "\"soon\""),
            (Malformed(query: [("deadline_ms", "0")]), .badAttribute, "0"),
            (Malformed(pipeline: "a/b"), .badName, "\"a/b\""),
            (Malformed(pipeline: "a\nb"), .badName, "\\u{a}"),
            (Malformed(body: "[1]"), .badBody, "array"),
            (Malformed(body: "{"), .badBody, "JSON"),
            (Malformed(type: "text/plain"), .unsupportedType, "\"text/plain\""),
            (Malformed(type: nil), .unsupportedType, ""),
        ]
    )
    func refuses(flaw: Malformed, code: ErrorCode, text: String) throws {
        let route = try #require(Route.all.first { $0.name == "run" })
        var fields: HTTPFields = [:]
        fields[.contentType] = flaw.type
        let error = #expect(throws: BusError.self) {
            try route.request(
                .made(query: flaw.query, fields: fields, body: flaw.body),
                ["pipeline": flaw.pipeline],
                id: .random()
            )
        }
        #expect(error?.code == code)
        #expect(text.isEmpty || error?.message.contains(text) == true, "\(error?.message ?? "")")
    }

    struct Malformed: Sendable, CustomTestStringConvertible {
        var query: [(name: String, value: String)] = []
        var pipeline = "feed"
        var type: String? = "application/json"
        var body = "{}"
        var testDescription: String { "\(query) \(pipeline) \(type ?? "") \(body)" }
    }

    @Test(
        "takes a body with one known member",
        arguments: [
            ("approve", #"{"value": {"amount": 3}}"#, #"{"amount":3}"#), ("approve", "{}", ""), ("approve", "", ""),
            ("reject", #"{"reason": "too late"}"#, #""too late""#), ("cancelRun", #"{"reason": ""}"#, #""""#),
        ]
    )
    func member(name: String, body: String, frame: String) throws {
        let route = try #require(Route.all.first { $0.name == name })
        let parameter = try #require(route.path.parameters.first)
        let fields: HTTPFields = [.contentType: "application/json"]
        let asked = try route.request(.made(fields: fields, body: body), [parameter: "x"], id: .random())
        // An empty reason is the same as none.
        #expect(String(decoding: asked.frames.body, as: UTF8.self) == (frame == #""""# ? "" : frame))
        #expect(throws: BusError.self) {
            try route.request(.made(fields: fields, body: #"{"values": 1}"#), [parameter: "x"], id: .random())
        }
    }
}

@Suite("A target")
struct RequestTargetTests {
    @Test("is read, with its escapes")
    func reads() throws {
        let target = try #require(RequestTarget.read("/v1/runs/a%2Fb?id=x+y%2B&cursor=&limit"))
        #expect(target.path == ["v1", "runs", "a/b"])
        #expect(target.query.map { "\($0.name)=\($0.value)" } == ["id=x y+", "cursor=", "limit="])
        #expect(RequestTarget.read("/")?.path == [""])
    }

    @Test("that is malformed is refused", arguments: ["", "v1", "http://evil/v1/runs", "*", "/%zz", "/%ff", "/?a=%"])
    func refuses(text: String) { #expect(RequestTarget.read(text) == nil) }
}

@Suite("A CloudEvent")
struct CloudEventTests {
    private func data(_ type: String, _ body: String) throws -> String {
        String(decoding: try CloudEvent.data(of: .made(fields: [.contentType: type], body: body)), as: UTF8.self)
    }

    @Test("gives its data")
    func gives() throws {
        let start = #"{"specversion": "1.0", "id": "1", "source": "/s", "type": "t""#
        let structured = "application/cloudevents+json; charset=utf-8"
        #expect(try data(structured, start + #", "data": {"a": [1]}}"#) == #"{"a":[1]}"#)
        #expect(try data(structured, start + #", "data_base64": "aGk="}"#) == "hi")
        #expect(try data(structured, start + "}").isEmpty)
        #expect(try data("application/json", #"{"a": 1}"#) == #"{"a": 1}"#)
    }

    @Test(
        "that is malformed is refused",
        arguments: [
            "[]", #"{"specversion": "0.3", "id": "1", "source": "s", "type": "t"}"#,
            #"{"specversion": "1.0", "source": "s", "type": "t"}"#,
            #"{"specversion": "1.0", "id": "", "source": "s", "type": "t"}"#,
            #"{"specversion": "1.0", "id": "1", "source": "s", "type": "t", "data_base64": "?"}"#,
            #"{"specversion": "1.0", "id": "1", "source": "s", "type": "t", "data": 1, "data_base64": "aGk="}"#,
        ]
    )
    func refuses(body: String) {
        #expect(#expect(throws: BusError.self) { try data("application/cloudevents+json", body) }?.code == .badBody)
    }

    @Test(
        "in binary mode needs its attributes, once each",
        arguments: [
            (["ce-specversion", "1.0", "ce-id", "1", "ce-source", "/s", "ce-type", "t"], true), ([], true),
            (["ce-specversion", "9", "ce-id", "1", "ce-source", "/s", "ce-type", "t"], false),
            (["ce-id", "1", "ce-source", "/s", "ce-type", "t"], false),
            (["ce-specversion", "1.0", "ce-source", "/s", "ce-type", "t"], false),
            (["ce-specversion", "1.0", "ce-id", "1", "ce-source", "", "ce-type", "t"], false),
            (["ce-specversion", "1.0", "ce-id", "1", "ce-source", "/s"], false),
            (["CE-Type", "t"], false),
            (["ce-specversion", "1.0", "ce-id", "1", "ce-id", "2", "ce-source", "/s", "ce-type", "t"], false),
        ] as [([String], Bool)]
    )
    func binary(headers: [String], isRead: Bool) throws {
        var fields: HTTPFields = [.contentType: "text/plain"]
        for index in stride(from: 0, to: headers.count, by: 2) {
            let name = try #require(HTTPField.Name(headers[index]))
            fields.append(HTTPField(name: name, value: headers[index + 1]))
        }
        do throws(BusError) {
            let data = try CloudEvent.data(of: .made(fields: fields, body: "x"))
            #expect(data == Array("x".utf8) && isRead)
        } catch {
            #expect(error.code == .badBody && !isRead)
        }
    }

    @Test("in a batch is refused")
    func batch() {
        let error = #expect(throws: BusError.self) { try data("application/cloudevents-batch+json", "[]") }
        #expect(error?.code == .unsupportedType)
    }
}

extension APIRequest {
    static func made(
        method: HTTPRequest.Method = .post,
        path: [String] = [],
        query: [(name: String, value: String)] = [],
        fields: HTTPFields = [:],
        body: String = "",
        sender: Sender = Sender()
    ) -> APIRequest {
        APIRequest(method: method, path: path, query: query, fields: fields, body: Array(body.utf8), sender: sender)
    }
}
