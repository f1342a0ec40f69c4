import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("Whoever attaches to a run")
struct CoreAttachTests {
    private var harness = CoreHarness(pipelines: [HostedPipeline("p", pipeline(Stage("work")), slots: 1)])

    private mutating func attach(_ run: Name = "run-1", patience: Duration? = nil, progress: Bool = false) -> [String] {
        harness.send(.attach(AttachRequest(run: run, patience: patience, wantsProgress: progress)), id: "t", from: 3)
    }

    @Test("gets its result, beside whoever began it")
    mutating func result() {
        harness.run()
        #expect(attach().isEmpty, "there is nothing to say yet")
        #expect(harness.step(.transition("run-1", .started("work"))).isEmpty)
        #expect(harness.end() == ["1<a completed run-1", "3<t completed run-1"])
    }

    @Test("gets the result of one that has ended at once, and of a detached one too")
    mutating func ended() {
        harness.run(isDetached: true)
        harness.end()
        #expect(attach() == ["3<t completed run-1"])
    }

    @Test("gets what changes where it asks for progress, and everybody gets what waits")
    mutating func progress() {
        harness.send(.run(RunRequest(pipeline: "p", wantsProgress: true)), id: "a")
        _ = attach(progress: true)
        #expect(harness.step(.transition("run-1", .started("work"))) == ["1<a started work", "3<t started work"])
        let lines = harness.open("s")
        #expect(lines == ["resume 1 registered", "1<a waiting approve s", "3<t waiting approve s"])
    }

    @Test("with no patience at all is told how it stands, and no more")
    mutating func impatient() {
        harness.run("a")
        harness.run("b")
        #expect(attach(patience: .zero) == ["3<t ok running run-1"])
        #expect(attach("run-2", patience: .zero) == ["3<t ok queued run-2"])
        #expect(harness.end() == ["1<a completed run-1", "start run-2"])
    }

    @Test("is told how it stands when its patience is over, and no more")
    mutating func patience() {
        harness.run()
        harness.open("s")
        #expect(attach(patience: .seconds(2)).isEmpty)
        #expect(harness.advance(by: .seconds(2)) == ["3<t ok waiting run-1"])
        harness.complete("s", id: "d")
        #expect(harness.end() == ["1<a completed run-1"])
    }

    @Test("and got the result in time is told nothing when its patience is over")
    mutating func inTime() {
        harness.run()
        _ = attach(patience: .seconds(2))
        #expect(harness.end() == ["1<a completed run-1", "3<t completed run-1"])
        #expect(harness.advance(by: .seconds(2)).isEmpty)
    }

    @Test("gets one answer, however often it asks under one id")
    mutating func twice() {
        harness.run()
        _ = attach()
        _ = attach()
        #expect(harness.end() == ["1<a completed run-1", "3<t completed run-1"])
    }

    @Test("and asks again waits as long as it asked last, longer or without end")
    mutating func again() {
        harness.run()
        _ = attach(patience: .seconds(1))
        _ = attach(patience: .seconds(5))
        #expect(harness.advance(by: .seconds(4)).isEmpty)
        #expect(harness.advance(by: .seconds(1)) == ["3<t ok running run-1"])
        _ = attach(patience: .seconds(1))
        _ = attach()
        #expect(harness.advance(by: .seconds(60)).isEmpty)
        #expect(harness.end() == ["1<a completed run-1", "3<t completed run-1"])
    }

    @Test("and asks again and again takes no more room than one who asked once")
    mutating func manyTimes() {
        harness.run()
        for _ in 0..<50_000 { _ = attach(patience: .seconds(365 * 24 * 3600)) }
        #expect(harness.core.deadlines.count <= 4096)
    }

    @Test("is told how the run stands, and no more, when others come for whom there is no room; who asked for it stays")
    mutating func letGo() {
        harness.run()
        let most = harness.core.configuration.limits.attachedConnections
        for peer in 2...most {
            #expect(harness.send(.attach(AttachRequest(run: "run-1")), id: "t", from: peer).isEmpty)
        }
        #expect(harness.send(.attach(AttachRequest(run: "run-1")), id: "t", from: most + 1) == ["2<t ok running run-1"])
        let told = harness.end()
        #expect(told.count == most)
        #expect(told.first == "1<a completed run-1")
        #expect(told.last == "\(most + 1)<t completed run-1")
    }

    @Test("finds room where somebody only wanted to know that the run was taken")
    mutating func detached() {
        harness.run(isDetached: true)
        let most = harness.core.configuration.limits.attachedConnections
        for peer in 2...(most + 1) {
            #expect(harness.send(.attach(AttachRequest(run: "run-1")), id: "t", from: peer).isEmpty)
        }
        #expect(harness.end().count == most)
    }

    @Test("learns that a run is not known")
    mutating func unknown() {
        #expect(attach("run-9") == ["3<t error unknown_run"])
    }
}
