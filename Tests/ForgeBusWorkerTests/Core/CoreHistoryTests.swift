import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Scorecard
import Testing

@testable import ForgeBusWorker

@Suite("The history of a run")
struct CoreHistoryTests {
    private var harness = CoreHarness(pipelines: [HostedPipeline("p", pipeline(Stage("build"), Stage("approve")))])

    /// How its actions ended.
    private var ended: [ActionOutcome] = []

    /// The events of the run's history, with the times of those that are in order.
    private mutating func history(of run: Name = "run-1") throws -> [String] {
        let asked = harness.effects(
            of: .received(Received(Request(.show(ShowRequest(.history, run)), id: try RequestID("h")), from: 9))
        )
        guard case .lookUp(let query)? = asked.last else { throw Missing("a query") }
        let entries = query.entries(with: harness.journal.filter { $0.isAbout(run) })
        let times = entries.map(\.unixMilliseconds)
        #expect(times == times.sorted(), "times never go back")
        return entries.map { entry in
            [entry.event, entry.details["action"]?.string].compactMap { $0 }.joined(separator: " ")
        }
    }

    private mutating func finish(_ action: ActionID, start: Duration, for duration: Duration) {
        let report = ActionReport(id: action, result: .completed, start: start, duration: duration)
        ended.append(ActionOutcome(report))
        harness.step(.transition("run-1", .finished(report)))
    }

    @Test("tells a decision before the action it let go on, whatever their clocks say", .scorecard(18, 24))
    mutating func decision() throws {
        harness.run()
        harness.step(.transition("run-1", .eligible(["build", "approve"])))
        // By its own clock the action ended later than the gate opened.
        finish("build", start: .zero, for: .milliseconds(50))
        harness.open("s", action: "approve")
        harness.oversleep(.seconds(5))
        harness.complete("s", id: "d")
        // And by its own clock the gate ended before it was decided.
        finish("approve", start: .milliseconds(50), for: .milliseconds(1))
        harness.step(.runEnded("run-1", ended, outputs: [:], flaw: nil))
        #expect(
            try history() == [
                "accepted", "action_completed build", "waiting approve", "decided", "resumed approve",
                "action_completed approve", "completed",
            ]
        )
        harness.send(.cancel(CancelRequest(run: "run-1")), id: "late")
        #expect(try history().suffix(2) == ["completed", "cancelled"])
    }

    @Test("goes by the clock where an entry has no place")
    func old() {
        func entry(_ event: String, at time: Int64) -> JournalEntry { JournalEntry(at: time, event, run: "run-1") }
        let known = [entry("accepted", at: 1), entry("action_completed", at: 5), entry("completed", at: 9)]
        let received = Received(Request(.show(ShowRequest(.history, "run-1"))), from: 1)
        let query = StoreQuery("run-1", .history(known: known, isKnown: true), received)
        let entries = query.entries(with: [entry("waiting", at: 3), entry("decided", at: 7)])
        #expect(entries.map(\.event) == ["accepted", "waiting", "action_completed", "decided", "completed"])
    }
}
