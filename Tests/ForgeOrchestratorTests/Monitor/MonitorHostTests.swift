import TestSupport
import Testing

@testable import ForgeOrchestrator

@Suite("A monitor that a process hosts")
struct MonitorHostTests {
    private let executing = Turnstile()
    private let seen = Record<[Int]>()
    private let monitor = MonitorOrchestrator()

    init() {
        monitor.register(
            Watch(
                id: "watch",
                body: { [executing, seen] in
                    seen.add(MonitorBaggage.current.compactMap { $0 as? Int })
                    await executing.pass()
                    return .completed
                }
            )
        )
    }

    /// Calls at once: when this returns, the trigger is in.
    private func call(with baggage: Int) -> Task<MonitorOutcome, any Error> {
        Task.immediate { [monitor] in try await monitor.nextCycle(with: baggage) }
    }

    @Test("lets a cycle see what those gave it whom it covers, and nothing of the others")
    func baggage() async throws {
        let first = call(with: 1)
        await executing.reach(1)
        let later = [call(with: 2), call(with: 3)]
        executing.open()
        _ = try await first.value
        for caller in later { _ = try await caller.value }
        _ = try await monitor.nextCycle()
        #expect(seen.values == [[1], [2, 3], []])
        #expect(MonitorBaggage.current.isEmpty)
    }

    @Test("that its host pauses begins no cycle, whatever screen is showing, and runs what is owed when the pause ends")
    func paused() async throws {
        executing.open()
        monitor.setPaused(true)
        monitor.updateCurrentScreen("Feed")
        await monitor.reevaluate()
        #expect(seen.values.isEmpty && monitor.isExcluded)
        let owed = call(with: 1)
        monitor.updateCurrentScreen(nil)
        #expect(seen.values.isEmpty && monitor.standing.holdsBack)
        monitor.setPaused(false)
        _ = try await owed.value
        #expect(seen.values == [[1]] && !monitor.isExcluded)
    }

    @Test("hides it from the cycles of another monitor that one of its actions asks for")
    func nested() async throws {
        let inner = Record<[Int]>()
        let other = MonitorOrchestrator()
        other.register(
            Watch(
                id: "inner",
                body: {
                    inner.add(MonitorBaggage.current.compactMap { $0 as? Int })
                    return .completed
                }
            )
        )
        let outer = MonitorOrchestrator()
        outer.register(
            Watch(
                id: "outer",
                body: {
                    await other.reevaluate()
                    _ = try? await other.nextCycle()
                    return .completed
                }
            )
        )
        _ = try await outer.nextCycle(with: 1)
        #expect(inner.values == [[], []])
    }

    @Test("shows the baggage to a cycle that a lift begins, whoever lifts")
    func afterLift() async throws {
        executing.open()
        monitor.setExcludedScreens(["Call"])
        monitor.updateCurrentScreen("Call")
        let callers = [call(with: 1), call(with: 2)]
        monitor.updateCurrentScreen(nil)
        for caller in callers { _ = try await caller.value }
        #expect(seen.values == [[1, 2]])
    }

    @Test("tells when an exclusion begins, when it holds a cycle back, and when it lifts")
    func standing() async throws {
        let standings = Record<MonitorStanding>()
        executing.open()
        let stop = monitor.observeStanding { [monitor] in standings.add(monitor.standing) }
        monitor.setExcludedScreens(["Call"])
        monitor.updateCurrentScreen("Call")
        monitor.updateCurrentScreen("Call")
        let caller = call(with: 1)
        monitor.updateCurrentScreen("Feed")
        _ = try await caller.value
        stop()
        monitor.updateCurrentScreen("Call")
        #expect(
            standings.values == [
                MonitorStanding(isExcluded: true, holdsBack: false),
                MonitorStanding(isExcluded: true, holdsBack: true),
                MonitorStanding(isExcluded: false, holdsBack: false),
            ]
        )
    }

    @Test("tells that a cycle is held back which was owed when the exclusion began under a running one")
    func heldBackLater() async throws {
        let standings = Record<MonitorStanding>()
        let first = call(with: 1)
        await executing.reach(1)
        let owed = call(with: 2)
        let stop = monitor.observeStanding { [monitor] in standings.add(monitor.standing) }
        monitor.setExcludedScreens(["Call"])
        monitor.updateCurrentScreen("Call")
        executing.open()
        _ = try await first.value
        #expect(standings.values.last == MonitorStanding(isExcluded: true, holdsBack: true))
        monitor.updateCurrentScreen(nil)
        _ = try await owed.value
        stop()
    }

    @Test("can cancel the cycle that somebody asked for, without ending their wait")
    func cancelled() async throws {
        let cancelled = Record<Bool>()
        let monitor = MonitorOrchestrator()
        let begun = Turnstile()
        begun.open()
        monitor.register(
            Watch(
                id: "slow",
                body: {
                    await begun.pass()
                    while !Task.isCancelled { await Task.yield() }
                    cancelled.add(Task.isCancelled)
                    return .failed("cut short")
                }
            )
        )
        let caller = Task.immediate { try await monitor.nextCycle() }
        await begun.reach(1)
        monitor.cancelCycle()
        guard case .ran(let cycle) = try await caller.value else {
            Issue.record("the monitor was not emptied")
            return
        }
        #expect(cycle.isFailed)
        #expect(cancelled.values == [true])
    }
}
