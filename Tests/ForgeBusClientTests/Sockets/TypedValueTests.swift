import ForgeBusClient
import ForgeBusProtocol
import Foundation
import Testing

@Suite("Values of the program", .timeLimit(.minutes(30)))
struct TypedValueTests {
    private struct Release: Codable, Equatable {
        var version: String
        var at: Date
        var steps: [String]
        var note: String?
    }

    private static let release = Release(version: "42", at: Date(timeIntervalSince1970: 0), steps: ["a/b"], note: nil)
    private static let json: JSONObject = ["at": "1970-01-01T00:00:00Z", "steps": ["a/b"], "version": "42"]

    private func seeds(_ requests: [Request]) -> [JSONObject] {
        requests.compactMap { if case .run(let run) = $0.command { run.seeds } else { nil } }
    }

    @Test("are seeds: a literal with variables, of one type or of several, and anything that is encodable")
    func seeds() async throws {
        try await scripted { _, request in
            guard case .run(let run) = request.command else { return [] }
            return run.isDetached ? [.begun()] : [.begun(), .completed()]
        } _: { worker, client async throws in
            let (version, count) = ("42", 7)
            _ = try await client.run("p", seeds: ["version": version])
            _ = try await client.run("p", seeds: ["version": version, "count": count, "force": true, "rest": [1.5]])
            _ = try await client.start("p", seeds: ["version": version, "more": JSONValue.null]).result
            _ = try await client.submit("p", seeds: ["version": "\(count)", "list": [1, "two", nil]])
            _ = try await client.run("p", seeds: Self.release)
            _ = try await client.start("p", seeds: Self.release).result
            _ = try await client.submit("p", seeds: Self.release)
            #expect(
                seeds(worker.requests.values) == [
                    ["version": "42"], ["count": 7, "force": true, "rest": [1.5], "version": "42"],
                    ["more": nil, "version": "42"], ["version": "7", "list": [1, "two", nil]], Self.json, Self.json,
                    Self.json,
                ]
            )
        }
    }

    @Test("without a JSON form, or that are no object, are refused before anything is sent")
    func refused() async throws {
        try await scripted { worker, client async throws in
            #expect(try await code { _ = try await client.run("p", seeds: ["x": Double.nan]) } == .badBody)
            #expect(try await code { _ = try await client.run("p", seeds: [1, 2]) } == .badBody)
            #expect(try await code { _ = try await client.submit("p", seeds: "text") } == .badBody)
            #expect(worker.requests.count == 0)
        }
    }

    @Test("are outputs, and those of another shape are a bad answer")
    func outputs() async throws {
        let result = RunResult(run: "run-1", state: .completed, actions: [], outputs: Self.json)
        #expect(try result.outputs(as: Release.self) == Self.release)
        #expect(try await code { _ = try result.outputs(as: [String: Int].self) } == .badAnswer)
    }

    @Test("are JSON, and JSON is one of them", arguments: [#"{"a":[1,1.5,null,true,"x",{}],"b":{"c":[]}}"#, "[]", "7"])
    func json(_ text: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8)[...])
        #expect(try JSONValue(encoding: value) == value)
        #expect(try value.decoded(as: JSONValue.self) == value)
    }

    @Test("of JSON are read as numbers, integers too")
    func number() {
        #expect(JSONValue.number(1.5).number == 1.5)
        #expect(JSONValue.integer(3).number == 3)
        #expect(JSONValue.string("3").number == nil && JSONValue.bool(true).number == nil)
    }
}
