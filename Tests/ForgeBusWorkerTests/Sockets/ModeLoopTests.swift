import ForgeBusProtocol
import ForgeBusStore
import ForgeLocks
import ForgeOrchestrator
import TestSupport
import Testing

@testable import ForgeBusWorker
@testable import ZeroMQ

@Suite("A worker that gets a mode", .timeLimit(.minutes(30)))
struct ModeLoopTests {
    @Test("evaluates nothing while it lasts, and owes one cycle for all that was said when it is over")
    func excluded() async throws {
        let cycles = Record<Int>()
        let watch = monitor(
            Check("check") {
                cycles.add(MonitorCauses.current.count)
                return .completed
            }
        )
        watch.setExcludedScreens(["deploy"])
        let (standings, stop) = exclusions(of: watch)
        let hosted = HostedMonitor("m", watch, topics: ["t"], minimumGap: .zero)
        let loop = try await WorkerLoop.unbound([hosted])
        try await loop.start(on: loop.reactor)
        loop.post(.ready)
        await cycles.reach(1)
        loop.post(try Operator.sends(.mode(ModeRequest("m", screen: "deploy", for: .seconds(3600))), id: "mode"))
        await standings.reach(1)
        // The turn that showed the screen is over then, and the core is told before what comes now.
        _ = await loop.counters(on: loop.reactor)
        for number in 0..<50 {
            loop.post(try Operator.sends(.notify(StateChange(topic: "t")), id: "n\(number)"))
        }
        loop.post(try Operator.sends(.mode(ModeRequest("m", screen: nil, for: .seconds(1))), id: "over"))
        await standings.reach(2)
        #expect(standings.values == [true, false])
        await cycles.reach(2)
        #expect(cycles.values == [0, 50])
        stop()
        await loop.stopHosting()
        await loop.reactor.shutDown()
    }

    @Test("ends it when its time is over, though nobody says so")
    func end() async throws {
        let watch = MonitorOrchestrator()
        watch.setExcludedScreens(["deploy"])
        let (standings, stop) = exclusions(of: watch)
        let loop = try await WorkerLoop.unbound([HostedMonitor("m", watch, topics: ["t"])])
        try await loop.start(on: loop.reactor)
        loop.post(.ready)
        loop.post(try Operator.sends(.mode(ModeRequest("m", screen: "deploy", for: .milliseconds(20))), id: "mode"))
        await standings.reach(2)
        #expect(!watch.isExcluded)
        stop()
        await loop.stopHosting()
        await loop.reactor.shutDown()
    }

    @Test("leaves no screen showing when it stops")
    func stop() async throws {
        let watch = MonitorOrchestrator()
        watch.setExcludedScreens(["deploy"])
        let (standings, stop) = exclusions(of: watch)
        let loop = try await WorkerLoop.unbound([HostedMonitor("m", watch, topics: ["t"])])
        try await loop.start(on: loop.reactor)
        loop.post(.ready)
        loop.post(try Operator.sends(.mode(ModeRequest("m", screen: "deploy", for: .seconds(3600))), id: "mode"))
        await standings.reach(1)
        #expect(watch.isExcluded)
        await loop.stopHosting()
        #expect(!watch.isExcluded)
        stop()
        await loop.reactor.shutDown()
    }

    @Test("lets a pause end when it stops, too, and begins no cycle then that the pause held back")
    func paused() async throws {
        let cycles = Record<Int>()
        let watch = monitor(
            Check("check") {
                cycles.add(MonitorCauses.current.count)
                return .completed
            }
        )
        let loop = try await WorkerLoop.unbound([HostedMonitor("m", watch, topics: ["t"])])
        try await loop.start(on: loop.reactor)
        loop.post(.ready)
        let pause = PauseRequest(PauseSubject(.monitor, "m"), .pause(for: .seconds(3600), reason: ""))
        let (standings, stop) = exclusions(of: watch)
        await cycles.reach(1)
        loop.post(try Operator.sends(.pause(pause), id: "pause"))
        await standings.reach(1)
        #expect(watch.isExcluded)
        // Requested by the process itself, and given up: a cycle that nobody waits for any more.
        let owed = Task.immediate { try await watch.nextCycle() }
        #expect(watch.standing.holdsBack)
        owed.cancel()
        _ = try? await owed.value
        await loop.stopHosting()
        #expect(!watch.isExcluded)
        _ = try await watch.nextCycle()
        #expect(cycles.values == [0, 0], "the one cycle is the one requested now")
        stop()
        await loop.reactor.shutDown()
    }

    /// When a monitor is excluded and when no more; not when only something else about its standing changes.
    private func exclusions(of watch: MonitorOrchestrator) -> (Record<Bool>, stop: @Sendable () -> Void) {
        let changes = Record<Bool>()
        let last = Guarded(false)
        let stop = watch.observeStanding {
            last.withLock { last in
                guard watch.isExcluded != last else { return }
                last.toggle()
                changes.add(last)
            }
        }
        return (changes, stop)
    }
}
