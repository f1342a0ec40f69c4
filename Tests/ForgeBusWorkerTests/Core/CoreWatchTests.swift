import ForgeBusProtocol
import ForgeOrchestrator
import Testing
import ZeroMQ

@testable import ForgeBusWorker

@Suite("A watch")
struct CoreWatchTests {
    private var harness: CoreHarness

    init() {
        var limits = WorkerLimits()
        limits.watches = 2
        harness = CoreHarness(
            pipelines: [HostedPipeline("p", pipeline(Stage("work")), slots: 1)],
            monitors: [HostedMonitor("m", MonitorOrchestrator(), topics: ["a.>"])],
            limits: limits
        )
    }

    private mutating func watch(_ pattern: NamePattern, credit: Int = 10, id: String = "w") -> [String] {
        harness.send(.watch(WatchRequest(pattern, credit: credit)), id: id, from: 5)
    }

    private mutating func lost(_ isGone: Bool) throws {
        harness.step(.unwatched(WatchKey(peer: .numbered(5), request: try RequestID("w")), isGone: isGone))
    }

    /// What watches are told.
    private func told(_ lines: [String]) -> [String] { lines.filter { $0.hasPrefix("5<") } }

    @Test("is told the states of runs, in order")
    mutating func runs() {
        #expect(watch("run.>").isEmpty)
        #expect(told(harness.run()) == ["5<w event 1 run.p.run-1 queued", "5<w event 2 run.p.run-1 running"])
        #expect(told(harness.open("s")) == ["5<w event 3 run.p.run-1 waiting"])
        #expect(told(harness.complete("s", id: "d")) == ["5<w event 4 run.p.run-1 running"])
        #expect(told(harness.end()) == ["5<w event 5 run.p.run-1 completed"])
    }

    @Test("is told of what its pattern means, and of nothing else")
    mutating func pattern() {
        _ = watch("signal.*")
        harness.run()
        #expect(told(harness.open("s")) == ["5<w event 1 signal.s waiting"])
        #expect(told(harness.reject("s", id: "d")) == ["5<w event 2 signal.s rejected"])
    }

    @Test("is told what monitors do")
    mutating func monitors() {
        _ = watch("monitor.m")
        let ended = Event.cycleEnded(monitor: 0, .ran(MonitorCycle(number: 1, actions: [])))
        #expect(told(harness.step(ended)) == ["5<w event 1 monitor.m idle"])
    }

    @Test("ends when its credit does, and says so")
    mutating func credit() {
        _ = watch("run.>", credit: 2)
        #expect(told(harness.run()).last == "5<w ok credit_ended")
        #expect(told(harness.end()).isEmpty)
        #expect(harness.core.watches.isEmpty)
    }

    @Test("gets more credit under the same id, and keeps its count")
    mutating func moreCredit() {
        _ = watch("run.>", credit: 1)
        #expect(watch("run.>", credit: 2).isEmpty)
        #expect(told(harness.run()) == ["5<w event 1 run.p.run-1 queued", "5<w event 2 run.p.run-1 running"])
        #expect(told(harness.end()) == ["5<w event 3 run.p.run-1 completed", "5<w ok credit_ended"])
    }

    @Test("keeps the pattern it began with: another under the same id is a conflict")
    mutating func otherPattern() {
        _ = watch("run.>")
        #expect(watch("signal.>") == ["5<w error id_conflict"])
        #expect(told(harness.run()).count == 2)
    }

    @Test("hears nothing more once it is ended, and whoever ends none is told the same")
    mutating func unwatch() {
        _ = watch("run.>")
        #expect(harness.send(.unwatch, id: "w", from: 5) == ["5<w ok unwatched"])
        #expect(told(harness.run()).isEmpty)
        #expect(harness.send(.unwatch, id: "w", from: 5) == ["5<w ok unwatched"])
    }

    @Test("is told how many events were lost before this one")
    mutating func gap() throws {
        _ = watch("run.>")
        harness.run()
        try lost(false)
        try lost(false)
        let events = harness.effects(of: .runEnded("run-1", .test(), outputs: [:], flaw: nil)).compactMap(\.event)
        #expect(events.map(\.lost) == [2])
        #expect(events.map(\.sequence) == [3])
    }

    @Test("ends with its connection")
    mutating func gone() throws {
        _ = watch("run.>")
        try lost(true)
        #expect(harness.core.watches.isEmpty)
    }

    @Test("beyond the bound is busy; more credit needs no room")
    mutating func bound() {
        _ = watch("run.>", id: "w")
        _ = watch("run.>", id: "w2")
        #expect(watch("run.>", id: "w3") == ["5<w3 error busy watches"])
        #expect(watch("run.>", id: "w2").isEmpty)
    }
}

extension Effect {
    fileprivate var event: BusEvent? {
        guard case .answer(let answer, _) = self, case .event(let event) = answer.content else { return nil }
        return event
    }
}
