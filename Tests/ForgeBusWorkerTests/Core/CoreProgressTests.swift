import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import TestSupport
import Testing

@testable import ForgeBusWorker

private let served = [HostedPipeline("p", pipeline(Stage("a"), Stage("b")))]

@Suite("How far a run has come")
struct CoreProgressTests {
    private var harness = CoreHarness(pipelines: served)
    private let key = StoreKey.progress("run-1")

    init() { harness.run() }

    private func finished(_ action: ActionID) -> Event {
        .transition("run-1", .finished(PipelineReport.test(action).actions[0]))
    }

    private func keys(_ consequences: Consequences) -> [String] {
        consequences.changes.map { change in
            switch change {
            case .put(let record): "put \(record.key.kind) \(record.key.text)"
            case .remove(let key): "remove \(key.kind) \(key.text)"
            case .append(let entry): "append \(entry.event)"
            case .output(let output): "output \(output.action)"
            case .audit(let entry, _): "audit \(entry.event)"
            }
        }
    }

    @Test("is kept once a turn, as it stands at the turn's end")
    mutating func once() throws {
        let turn = harness.consequences(
            of: .transition("run-1", .eligible(["a", "b"])),
            finished("a"),
            finished("b")
        )
        #expect(keys(turn) == ["put progress run-1"])
        guard case .progress(let record) = harness.kept[key] else { throw Missing("progress") }
        #expect(record.eligible == ["a", "b"])
        #expect(record.actions.map(\.action) == ["a", "b"])
    }

    @Test("is kept anew in the turns after that")
    mutating func anew() {
        #expect(keys(harness.consequences(of: .transition("run-1", .eligible(["a", "b"])))) == ["put progress run-1"])
        #expect(keys(harness.consequences(of: finished("a"))) == ["put progress run-1"])
        #expect(keys(harness.consequences(of: .tick)).isEmpty, "nothing went on")
    }

    @Test("is neither kept nor forgotten of a run that begins and ends within a turn")
    mutating func short() {
        let turn = harness.consequences(
            of: .transition("run-1", .eligible(["a", "b"])),
            finished("a"),
            finished("b"),
            .runEnded("run-1", .test("b"), outputs: [:], flaw: nil)
        )
        #expect(keys(turn) == ["put run run-1"], "what came of it is kept with it")
    }

    @Test("is forgotten with the end of its run where it was kept")
    mutating func forgotten() {
        _ = harness.consequences(of: .transition("run-1", .eligible(["a", "b"])))
        harness.end()
        #expect(harness.kept[key] == nil)
    }
}
