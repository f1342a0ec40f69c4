import ForgeBusProtocol
import ForgeBusStore
import Testing

@testable import ForgeBusWorker

@Suite("A wait in a history")
struct MeasuredWaitsTests {
    private func entry(_ event: String, at time: Int64, on signal: Name? = nil, _ details: JSONObject = [:])
        -> JournalEntry
    {
        JournalEntry(at: time, event, run: "run-1", signal: signal, details: details)
    }

    private func waits(_ entries: [JournalEntry]) -> [Int64?] {
        MeasuredWaits.measured(entries).map { $0.details["waited_ms"]?.integer }
    }

    @Test("is measured from its beginning to its decision, also across a restart, and told with the action's end")
    func measured() {
        let gate: JSONObject = ["action": "approve"]
        let entries = [
            entry("waiting", at: 1_000, on: "s", gate), entry("taken_up_again", at: 50_000, gate),
            entry("waiting", at: 60_000, on: "s", gate),
            entry("decided", at: 80_000, on: "s", ["verdict": "forbidden"]),
            entry("decided", at: 96_000, on: "s", ["verdict": "delivered"]),
            entry("decided", at: 97_000, on: "s", ["verdict": "duplicate"]),
            entry("action_completed", at: 96_001, ["action": "approve", "duration_ms": 0]),
            entry("action_completed", at: 96_002, ["action": "roll", "duration_ms": 1]),
        ]
        #expect(waits(entries) == [nil, nil, nil, nil, 95_000, nil, 95_000, nil])
    }

    @Test("ends undecided too, and a signal that waits again is measured anew")
    func undecided() {
        let entries = [
            entry("waiting", at: 0, on: "s"), entry("expired", at: 5, on: "s"), entry("waiting", at: 7, on: "s"),
            entry("closed", at: 9, on: "s"), entry("closed", at: 12, on: "t"),
        ]
        #expect(waits(entries) == [nil, 5, nil, 2, nil])
    }

    @Test("is never negative, whatever somebody set the clock to")
    func clock() {
        #expect(
            waits([
                entry("waiting", at: 9, on: "s"), entry("decided", at: 4, on: "s", ["verdict": "delivered"]),
            ]) == [nil, 0]
        )
    }
}
