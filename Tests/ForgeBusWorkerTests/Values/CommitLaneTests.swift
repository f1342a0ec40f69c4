import Testing

@testable import ForgeBusWorker

@Suite("A commit lane")
struct CommitLaneTests {
    private var lane = CommitLane()

    private func effects(_ number: Int) -> [Effect] { [.runCycle(monitor: number, MonitorCauses())] }

    private func lines(_ batches: [[Effect]]) -> [String] { batches.flatMap { $0.map(\.line) } }

    @Test("frees effects when their commit is done")
    mutating func done() {
        let ticket = lane.begin(effects(1))
        #expect(!lane.isEmpty)
        #expect(lines(lane.finish(ticket)) == ["cycle 1"])
        #expect(lane.isEmpty)
    }

    @Test("lets no later commit overtake an earlier one")
    mutating func order() {
        let first = lane.begin(effects(1))
        let second = lane.begin(effects(2))
        let third = lane.begin(effects(3))
        #expect(lines(lane.finish(second)).isEmpty)
        #expect(lines(lane.finish(first)) == ["cycle 1", "cycle 2"])
        #expect(lines(lane.finish(third)) == ["cycle 3"])
    }

    @Test("holds effects that changed nothing behind the commits before them")
    mutating func unchanged() {
        let first = lane.begin(effects(1))
        lane.wait(effects(2))
        let third = lane.begin(effects(3))
        lane.wait(effects(4))
        #expect(lines(lane.finish(third)).isEmpty)
        #expect(lines(lane.finish(first)) == ["cycle 1", "cycle 2", "cycle 3", "cycle 4"])
        #expect(lane.isEmpty)
    }

    @Test("frees nothing twice")
    mutating func twice() {
        let ticket = lane.begin(effects(1))
        _ = lane.finish(ticket)
        let second = lane.begin(effects(2))
        #expect(lines(lane.finish(ticket)).isEmpty)
        #expect(lines(lane.finish(second)) == ["cycle 2"])
    }
}

@Suite("The handover of a commit")
struct HandoverTests {
    @Test("tells of a commit that is done before it returns, at its return")
    func atOnce() throws {
        let handover = Handover()
        handover.finish(nil) { _ in Issue.record("told a second time") }
        let outcome = try #require(handover.outcomeAtReturn())
        #expect(outcome.error == nil)
    }

    @Test("tells of a commit that is done later, when it is")
    func later() {
        let handover = Handover()
        #expect(handover.outcomeAtReturn() == nil)
        var told: [String] = []
        handover.finish(.init(.inputOutput, "full", next: "Make room.")) { error in told.append(error?.message ?? "") }
        #expect(told == ["full"])
    }
}
