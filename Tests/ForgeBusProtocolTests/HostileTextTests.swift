import Scorecard
import Testing

@testable import ForgeBusProtocol

/// Text that is made to cost its reader more than its sender.
@Suite("Hostile text", .scorecard(14))
struct HostileTextTests {
    /// A row of combining marks in the order that is the most work to sort.
    private func row(_ count: Int) -> String {
        String(repeating: "\u{301}", count: count / 2) + String(repeating: "\u{316}", count: count - count / 2)
    }

    @Test("with a long row of combining marks is refused before anything compares it")
    func refused() {
        let text = "a" + row(WireLimits.combiningMarks + 1)
        for body in ["{\"\(text)\":1}", "\"\(text)\"", "[[\"x\(text)y\"]]"] {
            let error = #expect(throws: BusError.self) { try JSONValue(parsing: Array(body.utf8)[...]) }
            #expect(error?.message.contains("\(WireLimits.combiningMarks)") == true)
        }
    }

    @Test("is told from text of people: each row may have thirty, and another may follow")
    func taken() throws {
        let text = "a" + row(WireLimits.combiningMarks) + "b" + row(WireLimits.combiningMarks) + "é한글ไทย👩‍👩‍👧"
        #expect(try JSONValue(parsing: Array("\"\(text)\"".utf8)[...]).string?.utf8.elementsEqual(text.utf8) == true)
    }

    @Test("of a reason is cut between characters when it is told, and says so", arguments: ["x", "é", "😀", "\u{7F}"])
    func cut(character: String) throws {
        let reason = String(repeating: character, count: 100_000)
        let result = RunResult(
            run: "run-1",
            state: .failed,
            reason: reason,
            actions: [
                ActionOutcome(action: "a", result: .failed(reason), start: .zero, duration: .zero)
            ]
        )
        let frames = Answer(to: .random(), .result(result)).frames
        #expect(frames.attributes.count <= WireLimits.attributesSizeInBytes)
        guard case .result(let told) = try Answer(decoding: frames).content else {
            Issue.record("no RESULT")
            return
        }
        #expect(told.reason.utf8.count <= WireLimits.reasonSizeInBytes)
        #expect(told.reason.utf8.count > WireLimits.reasonSizeInBytes - 8)
        #expect(told.reason.hasSuffix(character + "…") && reason.hasPrefix(told.reason.dropLast()))
        guard case .failed(let ofAction) = told.actions[0].result else {
            Issue.record("no reason")
            return
        }
        #expect(ofAction.utf8.count <= WireLimits.actionReasonSizeInBytes)
    }

    @Test("that is equivalent but other bytes is another reason")
    func bytes() {
        let (composed, decomposed) = (
            Decision.Outcome.rejected(reason: "é"), Decision.Outcome.rejected(reason: "e\u{301}")
        )
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(composed == .rejected(reason: "é") && composed != .approved(value: Array("é".utf8)))
    }
}
