import ForgeOrchestrator
import TestSupport
import Testing

@Suite("The interval loop of a monitor", .timeLimit(.minutes(30)))
struct MonitorLoopTests {
    private let clock = TestClock()
    private let ticks = Turnstile()
    private let log = Record<String>()

    private func monitor(_ body: @escaping @Sendable () async -> ActionResult = { .completed }) -> MonitorOrchestrator {
        let monitor = MonitorOrchestrator(interval: 0.1, logger: log.logger, clock: clock)
        monitor.register(
            Watch(
                id: "tick",
                condition: { [ticks] in
                    await ticks.pass()
                    return true
                },
                body: body
            )
        )
        return monitor
    }

    /// Lets one interval pass and returns when the loop waits for the next.
    private func tick() async {
        await clock.sleepers(1)
        clock.advance(by: .milliseconds(100))
    }

    @Test("ticks first one interval after the start, then every interval")
    func ticking() async {
        ticks.open()
        let monitor = monitor()
        monitor.start()
        await clock.sleepers(1)
        clock.advance(by: .milliseconds(99))
        #expect(clock.sleeperCount == 1, "it would be awake")
        clock.advance(by: .milliseconds(1))
        await ticks.reach(1)
        await tick()
        await ticks.reach(2)
        await tick()
        await ticks.reach(3)
        await clock.sleepers(1)
        #expect(ticks.arrivals == 3)
        monitor.stop()
    }

    @Test("is one loop, whose interval begins anew with each start")
    func startTwice() async {
        ticks.open()
        let monitor = monitor()
        monitor.start()
        await clock.sleepers(1)
        clock.advance(by: .milliseconds(99))
        monitor.start()
        await clock.sleepers(1)
        clock.advance(by: .milliseconds(99))
        #expect(clock.sleeperCount == 1, "the first loop would be awake")
        clock.advance(by: .milliseconds(1))
        await ticks.reach(1)
        await clock.sleepers(1)
        #expect(ticks.arrivals == 1)
        monitor.stop()
        monitor.stop()
        monitor.start()
        await tick()
        await ticks.reach(2)
        monitor.stop()
    }

    @Test("drops the ticks that fall due while a cycle runs")
    func dropped() async {
        let monitor = monitor()
        monitor.start()
        await tick()
        await ticks.reach(1)
        clock.advance(by: .milliseconds(1_000))
        ticks.open()
        await clock.sleepers(1)
        #expect(ticks.arrivals == 1, "ten intervals passed during one cycle")
        clock.advance(by: .milliseconds(100))
        await ticks.reach(2)
        await clock.sleepers(1)
        #expect(ticks.arrivals == 2)
        monitor.stop()
    }

    @Test("drops a tick while a cycle from elsewhere runs")
    func droppedForAnother() async throws {
        let monitor = monitor()
        let other = Task.immediate { try await monitor.nextCycle() }
        await ticks.reach(1)
        monitor.start()
        await tick()
        await clock.sleepers(1)
        ticks.open()
        _ = try await other.value
        #expect(ticks.arrivals == 1)
        monitor.stop()
    }

    @Test("skips its ticks while a screen is excluded, and goes on after it")
    func excluded() async {
        ticks.open()
        let monitor = monitor()
        monitor.setExcludedScreens(["Call"])
        monitor.updateCurrentScreen("Call")
        monitor.start()
        await tick()
        await tick()
        await clock.sleepers(1)
        #expect(ticks.arrivals == 0)
        monitor.updateCurrentScreen(nil)
        await tick()
        await ticks.reach(1)
        monitor.stop()
    }

    @Test("goes on when the actions are removed, until it is stopped")
    func removeAll() async {
        ticks.open()
        let monitor = monitor()
        monitor.start()
        monitor.removeAll()
        await tick()
        await clock.sleepers(1)
        monitor.register(
            Watch(
                id: "new",
                condition: { [ticks] in
                    await ticks.pass()
                    return true
                }
            )
        )
        await tick()
        await ticks.reach(1)
        monitor.stop()
    }

    @Test(
        "cancels the actions of a tick when it is stopped or begun anew, and executes them all",
        arguments: [false, true]
    )
    func stopDuringTick(_ isRestarted: Bool) async {
        let executing = Turnstile()
        let wasCancelled = Record<Bool>()
        ticks.open()
        let monitor = monitor {
            await executing.pass()
            wasCancelled.add(Task.isCancelled)
            return .completed
        }
        monitor.register(
            Watch(
                id: "later",
                body: {
                    wasCancelled.add(Task.isCancelled)
                    return .completed
                }
            )
        )
        var events = monitor.events.makeAsyncIterator()
        monitor.start()
        await tick()
        await executing.reach(1)
        if isRestarted { monitor.start() } else { monitor.stop() }
        executing.open()
        while let event = await events.next(), event != .ended(evaluation: 1) {}
        #expect(wasCancelled.values == [true, true])
        monitor.stop()
    }

    @Test("leaves the actions of a cycle from elsewhere alone when it is stopped")
    func stopDuringAnother() async throws {
        let executing = Turnstile()
        let wasCancelled = Record<Bool>()
        ticks.open()
        let monitor = monitor {
            await executing.pass()
            wasCancelled.add(Task.isCancelled)
            return .completed
        }
        monitor.start()
        async let reevaluated: Void = monitor.reevaluate()
        await executing.reach(1)
        monitor.stop()
        executing.releaseWaiting()
        await reevaluated
        monitor.start()
        async let cycle = monitor.nextCycle()
        await executing.reach(2)
        monitor.stop()
        executing.open()
        _ = try await cycle
        #expect(wasCancelled.values == [false, false])
    }

    @Test("begins no cycle after it was stopped, also when the tick was due")
    func stoppedWhenDue() async {
        await #expect(processExitsWith: .success) {
            let reevaluations = Record<Int>()
            let clock = TestClock()
            let monitor = await Counting(reevaluations, clock)
            monitor.start()
            await clock.sleepers(1)
            await MainActor.run {
                clock.advance(by: .milliseconds(100))
                monitor.stop()
            }
            // The loop was cancelled; it ends when it has heard of it.
            while LiveObjects.loops.current > 0 { await Task.yield() }
            precondition(reevaluations.count == 0)
        }
    }

    @Test("logs what failed in a tick, because nobody gets its report")
    func failure() async {
        ticks.open()
        let monitor = monitor { .failed("no answer") }
        monitor.start()
        await tick()
        await ticks.reach(1)
        await clock.sleepers(1)
        #expect(log.values.map { $0.hasSuffix(" action=tick reason=no answer") } == [true])
        monitor.stop()
    }

    @Test("does nothing without an interval")
    func noInterval() async {
        let monitor = MonitorOrchestrator(clock: clock)
        monitor.start()
        monitor.stop()
        clock.advance(by: .seconds(1_000))
        #expect(!monitor.isExcluded)
    }

    @Test("calls what a subclass makes of reevaluate()")
    func subclass() async {
        let reevaluations = Record<Int>()
        let monitor = await Counting(reevaluations, clock)
        monitor.register(
            Watch(
                id: "tick",
                condition: { [ticks] in
                    await ticks.pass()
                    return true
                }
            )
        )
        ticks.open()
        monitor.start()
        await tick()
        await ticks.reach(1)
        #expect(reevaluations.count == 1)
        monitor.stop()
    }

    @Test("takes a duration")
    func duration() async {
        ticks.open()
        let monitor = MonitorOrchestrator(interval: .seconds(5), clock: clock)
        monitor.register(Watch(id: "tick", condition: { [ticks] in await ticks.passed() }))
        monitor.start()
        await clock.sleepers(1)
        clock.advance(by: .milliseconds(4_999))
        #expect(clock.sleeperCount == 1, "it would be awake")
        clock.advance(by: .milliseconds(1))
        await ticks.reach(1)
        monitor.stop()
    }

    @Test(
        "ticks every millisecond at most, and every hundred years at least",
        arguments: [0, -1, -.infinity, .leastNonzeroMagnitude, 1e-10, 0.0005, .infinity, 1e300]
    )
    func oddInterval(_ seconds: Double) async {
        ticks.open()
        let monitor = MonitorOrchestrator(interval: seconds, clock: clock)
        monitor.register(Watch(id: "tick", condition: { [ticks] in await ticks.passed() }))
        let interval = Duration.seconds(seconds > 1 ? 3_155_760_000 : 0.001)
        monitor.start()
        for tick in 1...3 {
            await clock.sleepers(1)
            clock.advance(by: interval - .nanoseconds(1))
            #expect(clock.sleeperCount == 1, "it would be awake")
            clock.advance(by: .nanoseconds(1))
            await ticks.reach(tick)
        }
        monitor.stop()
    }

    @Test("keeps the same bounds for a duration", arguments: [Duration.zero, .seconds(-1), .nanoseconds(1)])
    func shortDuration(_ interval: Duration) async {
        ticks.open()
        let monitor = MonitorOrchestrator(interval: interval)
        monitor.register(Watch(id: "tick", condition: { [ticks] in await ticks.passed() }))
        monitor.start()
        await ticks.reach(2)
        monitor.stop()
    }

    @Test("does not tick when the interval is not a number, and says so")
    func notANumber() async {
        let monitor = MonitorOrchestrator(interval: .nan, logger: log.logger, clock: clock)
        monitor.start()
        clock.advance(by: .seconds(1_000))
        monitor.stop()
        #expect(log.values.map { $0.contains("NaN") } == [true])
        #expect(clock.sleeperCount == 0)
    }
}

/// Counts its re-evaluations; ticks ten times a second.
private final class Counting: MonitorOrchestrator {
    private let reevaluations: Record<Int>

    init(_ reevaluations: Record<Int>, _ clock: TestClock) {
        self.reevaluations = reevaluations
        super.init(interval: 0.1, clock: clock)
    }

    override func reevaluate() async {
        reevaluations.add(1)
        await super.reevaluate()
    }
}
