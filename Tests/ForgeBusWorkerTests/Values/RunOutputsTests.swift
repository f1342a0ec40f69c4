import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("The outputs of a run")
struct RunOutputsTests {
    private func outputs(_ values: [String: any Sendable], beside actions: [ActionOutcome] = []) -> RunOutputs {
        let keys = values.keys.sorted() + ["absent"]
        return RunOutputs(of: HostedPipeline("p", PipelineOrchestrator(), outputs: keys), values, beside: actions)
    }

    private func failures(_ reason: String, count: Int = 1) -> [ActionOutcome] {
        Array(
            repeating: ActionOutcome(action: "a", result: .failed(reason), start: .seconds(1), duration: .seconds(1)),
            count: count
        )
    }

    /// The sizes of the frames in which a result tells them.
    private func frames(_ outputs: RunOutputs, _ actions: [ActionOutcome]) throws -> [Int] {
        let result = RunResult(run: "r", state: .failed, actions: actions, outputs: outputs.values)
        var buffer = FrameBuffer()
        Answer(to: try RequestID("a"), .result(result)).encode(into: &buffer)
        return [buffer.frames.attributes.count, buffer.frames.body.count]
    }

    @Test("are those that are declared and set")
    func declared() {
        let outputs = outputs(["n": 1, "text": "x"])
        #expect(outputs.values == ["n": 1, "text": "x"])
        #expect(outputs.flaw == nil)
    }

    @Test("that have no JSON form fail the run, which keeps those before")
    func formless() {
        let outputs = outputs(["a": 1, "b": Moment(nanoseconds: 0, unixMilliseconds: 0)])
        #expect(outputs.values == ["a": 1])
        #expect(outputs.flaw == "The output `b` is a Moment, which has no JSON form.")
    }

    @Test("count as they are written, escapes and all")
    func escaped() {
        let outputs = outputs(["blob": String(repeating: "\u{7F}", count: 200_000), "n": 1])
        #expect(outputs.values.isEmpty)
        let expected = Errors.outputsTooLarge(1_200_017, room: 921_600, largest: ("blob", 1_200_002))
        #expect(outputs.flaw == expected)
    }

    @Test("count together")
    func together() {
        let half = String(repeating: "x", count: 500_000)
        #expect(outputs(["a": half]).flaw == nil)
        #expect(outputs(["a": half, "b": half]).flaw?.contains("` alone takes 500002.") == true)
    }

    @Test("that just fit go into one frame with whatever the actions say", arguments: ["x", "\u{7F}"])
    func largest(character: String) throws {
        let reason = String(repeating: character, count: 10_000).asReason
        let actions = failures(reason, count: 12)
        var size = RunOutputs.sizeInBytes
        while outputs(["a": String(repeating: "x", count: size)], beside: actions).flaw != nil { size -= 20_000 }
        let largest = outputs(["a": String(repeating: "x", count: size)], beside: actions)
        #expect(largest.values["a"] != nil)
        #expect(size > 700_000)
        #expect(try frames(largest, actions).allSatisfy { $0 <= WireLimits.frameSizeInBytes })
    }

    @Test("with more keys or levels than a body may have fail the run")
    func shape() throws {
        let wide = Dictionary(uniqueKeysWithValues: (0..<5000).map { ("k\($0)", $0) })
        #expect(outputs(["a": wide]).flaw == "The outputs have 5001 keys; the result has room for 4093.")
        var deep: JSONValue = 1
        for _ in 0..<62 { deep = [deep] }
        #expect(outputs(["a": deep]).flaw == nil)
        let body = JSONValue.object(["outputs": .object(outputs(["a": deep]).values)]).encoded
        #expect(throws: Never.self) { try JSONValue(parsing: body[...]) }
        #expect(outputs(["a": [deep]]).flaw == "The outputs are nested 64 levels deep; the result has room for 63.")
    }
}

@Suite("A reason that is told")
struct ReasonTests {
    @Test("is the whole of it up to its bound")
    func whole() {
        let reason = String(repeating: "x", count: ActionOutcome.reasonSizeInBytes)
        #expect(reason.asReason == reason)
    }

    @Test("is cut between two characters")
    func cut() {
        let reason = String(repeating: "é", count: 4000)
        #expect(reason.asReason == String(repeating: "é", count: 2046) + "…")
        #expect(reason.asReason.utf8.count <= ActionOutcome.reasonSizeInBytes)
    }
}
