import ForgeOrchestrator
import TestSupport
import Testing

@Suite("A monitor entry that never loses a trigger")
struct MonitorNextCycleTests {
    private let asked = Turnstile()
    private let executing = Turnstile()
    private let monitor = MonitorOrchestrator()

    init() {
        asked.open()
        monitor.register(
            Watch(
                id: "watch",
                condition: { [asked] in
                    await asked.pass()
                    return true
                },
                body: { [executing] in
                    await executing.pass()
                    return .completed
                }
            )
        )
    }

    /// Calls at once: when this returns, the trigger is in.
    private func call() -> Task<MonitorOutcome, any Error> {
        Task.immediate { [monitor] in try await monitor.nextCycle() }
    }

    private func number(_ outcome: MonitorOutcome) -> Int? {
        if case .ran(let cycle) = outcome { cycle.number } else { nil }
    }

    @Test("runs a cycle without being started, and reports it")
    func single() async throws {
        executing.open()
        guard case .ran(let cycle) = try await monitor.nextCycle() else {
            Issue.record("the monitor was not emptied")
            return
        }
        #expect(cycle.number == 1 && !cycle.isFailed)
        #expect(cycle.actions.map(\.id) == ["watch"] && cycle.actions.map(\.result) == [.completed])
    }

    @Test("serves a hundred triggers during a cycle with exactly one more, which starts after the last")
    func oneMore() async throws {
        let first = call()
        await executing.reach(1)
        let during = (0..<100).map { _ in call() }
        #expect(asked.arrivals == 1, "no second cycle while one runs")
        executing.releaseWaiting()
        #expect(try await number(first.value) == 1)
        executing.open()
        for caller in during { #expect(try await number(caller.value) == 2) }
        #expect(asked.arrivals == 2)
        #expect(try await number(monitor.nextCycle()) == 3, "nothing was left over")
    }

    @Test("does not let the cycle that is asking its conditions cover a later trigger")
    func duringConditions() async throws {
        let slow = Turnstile()
        let monitor = MonitorOrchestrator()
        monitor.register(
            Watch(
                id: "slow",
                condition: {
                    await slow.pass()
                    return false
                }
            )
        )
        let first = Task.immediate { try await monitor.nextCycle() }
        await slow.reach(1)
        let second = Task.immediate { try await monitor.nextCycle() }
        slow.open()
        #expect(try await first.value == .ran(MonitorCycle(number: 1, actions: [])))
        #expect(try await second.value == .ran(MonitorCycle(number: 2, actions: [])))
    }

    @Test("owes a cycle also when the running one came from reevaluate(), which itself drops")
    func besideReevaluate() async throws {
        async let reevaluation: Void = monitor.reevaluate()
        await executing.reach(1)
        await monitor.reevaluate()
        let owed = call()
        executing.open()
        await reevaluation
        #expect(try await number(owed.value) == 2)
        #expect(asked.arrivals == 2)
    }

    @Test("waits while a screen is excluded, and is served once when the exclusion lifts")
    func exclusion() async throws {
        executing.open()
        monitor.setExcludedScreens(["Checkout"])
        monitor.updateCurrentScreen("Checkout")
        #expect(monitor.isExcluded)
        let callers = (0..<10).map { _ in call() }
        await monitor.reevaluate()
        monitor.updateCurrentScreen("Checkout")
        #expect(asked.arrivals == 0)
        monitor.updateCurrentScreen("Feed")
        for caller in callers { #expect(try await number(caller.value) == 1) }
        #expect(asked.arrivals == 1)
        monitor.updateCurrentScreen("Feed")
        monitor.updateCurrentScreen(nil)
        await monitor.reevaluate()
        #expect(asked.arrivals == 2, "showing a screen causes no cycle by itself")
    }

    @Test("is served when the excluded screens change under the current one")
    func exclusionChanged() async throws {
        executing.open()
        monitor.updateCurrentScreen("Checkout")
        monitor.setExcludedScreens(["Checkout"])
        let caller = call()
        #expect(asked.arrivals == 0)
        monitor.setExcludedScreens([])
        #expect(try await number(caller.value) == 1)
    }

    @Test("lets the running cycle finish under an exclusion and keeps what is owed after it")
    func excludedDuringCycle() async throws {
        let first = call()
        await executing.reach(1)
        let owed = call()
        monitor.setExcludedScreens(["Call"])
        monitor.updateCurrentScreen("Call")
        executing.open()
        #expect(try await number(first.value) == 1)
        await monitor.reevaluate()
        #expect(asked.arrivals == 1)
        monitor.updateCurrentScreen(nil)
        #expect(try await number(owed.value) == 2)
    }

    @Test("throws on cancellation and leaves the others their cycle")
    func cancellation() async throws {
        let first = call()
        await executing.reach(1)
        let cancelled = call()
        let patient = call()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        executing.open()
        #expect(try await number(first.value) == 1)
        #expect(try await number(patient.value) == 2)
    }

    @Test("throws in a task that is cancelled already, and starts nothing")
    func cancelledBefore() async throws {
        let gate = Turnstile()
        let caller = Task { [monitor] in
            await gate.pass()
            return try await monitor.nextCycle()
        }
        await gate.reach(1)
        caller.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(asked.arrivals == 0)
    }

    @Test("does not cancel the shared cycle with the caller who caused it")
    func sharedCycle() async throws {
        let seen = Record<Bool>()
        let gate = Turnstile()
        let monitor = MonitorOrchestrator()
        monitor.register(
            Watch(
                id: "watch",
                body: {
                    await gate.pass()
                    seen.add(Task.isCancelled)
                    return .completed
                }
            )
        )
        var events = monitor.events.makeAsyncIterator()
        let caller = Task.immediate { try await monitor.nextCycle() }
        await gate.reach(1)
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        gate.open()
        while let event = await events.next(), event != .ended(evaluation: 1) {}
        #expect(seen.values == [false])
    }

    @Test("answers stopped to those whose cycle has not started when the monitor is emptied")
    func emptied() async throws {
        let first = call()
        await executing.reach(1)
        let owed = (0..<5).map { _ in call() }
        monitor.removeAll()
        for caller in owed { #expect(try await caller.value == .stopped) }
        executing.open()
        #expect(try await number(first.value) == 1)
        #expect(try await monitor.nextCycle() == .ran(MonitorCycle(number: 2, actions: [])))
        #expect(monitor.registered.isEmpty && asked.arrivals == 1)
    }

    @Test("answers stopped to those an exclusion holds back, too")
    func emptiedWhileExcluded() async throws {
        monitor.setExcludedScreens(["Call"])
        monitor.updateCurrentScreen("Call")
        let caller = call()
        monitor.removeAll()
        #expect(try await caller.value == .stopped)
        monitor.updateCurrentScreen(nil)
    }

    @Test("runs for whoever waited while a screen held it back, beside a plain re-evaluation")
    @MainActor func ordered() async throws {
        executing.open()
        monitor.setExcludedScreens(["Call"])
        for round in 1...100 {
            monitor.updateCurrentScreen("Call")
            let caller = call()
            monitor.updateCurrentScreen(nil)
            await monitor.reevaluate()
            guard case .ran = try await caller.value else {
                Issue.record("the monitor was not emptied")
                return
            }
            #expect(asked.arrivals >= round)
        }
    }

    @Test("tells which action failed")
    func failure() async throws {
        let monitor = MonitorOrchestrator(clock: TestClock())
        monitor.register([
            Watch(id: "good", priority: .low),
            Watch(id: "bad", body: { .failed("the certificate has expired") }),
        ])
        guard case .ran(let cycle) = try await monitor.nextCycle() else { return }
        #expect(cycle.isFailed)
        #expect(
            cycle.actions == [
                ActionReport(
                    id: "bad",
                    result: .failed("the certificate has expired"),
                    start: .zero,
                    duration: .zero
                ),
                ActionReport(id: "good", result: .completed, start: .zero, duration: .zero),
            ]
        )
    }

    @Test("loses no trigger and overlaps no cycle in a storm from many tasks", .timeLimit(.minutes(30)))
    func storm() async throws {
        let inside = Record<Int>()
        let monitor = MonitorOrchestrator()
        monitor.register(
            Watch(
                id: "watch",
                body: {
                    inside.add(1)
                    await Task.yield()
                    inside.add(-1)
                    return .completed
                }
            )
        )
        let outcomes = try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<16 {
                group.addTask {
                    var numbers: [Int] = []
                    for _ in 0..<200 {
                        if case .ran(let cycle) = try await monitor.nextCycle() { numbers.append(cycle.number) }
                        await monitor.reevaluate()
                    }
                    return numbers
                }
            }
            return try await group.reduce(into: [[Int]]()) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0.count == 200 && zip($0, $0.dropFirst()).allSatisfy { $0 < $1 } })
        #expect(stride(from: 0, to: inside.count, by: 2).allSatisfy { inside.values[$0] == 1 })
    }
}
