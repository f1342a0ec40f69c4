import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("A gate's message")
struct MessageTemplateTests {
    private func filled(_ text: String, _ values: [String: any Sendable]) throws -> String {
        try MessageTemplate(text).filled(from: PipelineContext(values))
    }

    @Test("says what its run was given and what its actions found")
    func places() throws {
        let text = "Deploy {seed.version} to {value.target}? Tests: {value.tests}, {{no place}"
        let values: [String: any Sendable] = ["version": "1.2.3", "target": "production", "tests": 132]
        #expect(try filled(text, values) == "Deploy 1.2.3 to production? Tests: 132, {no place}")
    }

    @Test("writes a value that is no text as JSON, and leaves out what is missing")
    func values() throws {
        #expect(try filled("{value.list} {value.none}.", ["list": [1, 2]]) == "[1,2] .")
    }

    @Test("is cut where values make it too long")
    func cut() throws {
        let text = try filled("{value.long}", ["long": String(repeating: "x", count: 10_000)])
        #expect(text.utf8.count <= MessageTemplate.maximumSizeInBytes && text.utf8.count > 4_000)
    }

    @Test("with an unknown placeholder is refused", arguments: ["", "{", "{seed.}", "{value}", "{other.x}", "{run}"])
    func refused(text: String) {
        let error = #expect(throws: BusError.self) { try MessageTemplate(text) }
        #expect(error?.code == .badName)
    }

    @Test("names the seeds that it needs")
    func seeds() { #expect(MessageTemplate("{seed.b} {value.c} {seed.a}").seeds == ["b", "a"]) }
}
