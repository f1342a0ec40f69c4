import ForgeOrchestrator
import Testing

@Suite("The interval loop of a monitor", .timeLimit(.minutes(10)))
struct MonitorLoopTests {
    private let clock = TestClock()
    private let ticks = Gate()
    private let log = Journal<String>()

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
        #expect(ticks.arrivalCount == 0)
        clock.advance(by: .milliseconds(1))
        await ticks.arrivals(1)
        await tick()
        await ticks.arrivals(2)
        await tick()
        await ticks.arrivals(3)
        await clock.sleepers(1)
        #expect(ticks.arrivalCount == 3)
        monitor.stop()
    }

    @Test("is one loop, however often it is started, and can be started again")
    func startTwice() async {
        ticks.open()
        let monitor = monitor()
        monitor.start()
        monitor.start()
        await tick()
        await ticks.arrivals(1)
        await clock.sleepers(1)
        #expect(ticks.arrivalCount == 1)
        monitor.stop()
        monitor.stop()
        monitor.start()
        await tick()
        await ticks.arrivals(2)
        monitor.stop()
    }

    @Test("drops the ticks that fall due while a cycle runs")
    func dropped() async {
        let monitor = monitor()
        monitor.start()
        await tick()
        await ticks.arrivals(1)
        clock.advance(by: .milliseconds(1_000))
        ticks.open()
        await clock.sleepers(1)
        #expect(ticks.arrivalCount == 1, "ten intervals passed during one cycle")
        clock.advance(by: .milliseconds(100))
        await ticks.arrivals(2)
        await clock.sleepers(1)
        #expect(ticks.arrivalCount == 2)
        monitor.stop()
    }

    @Test("drops a tick while a cycle from elsewhere runs")
    func droppedForAnother() async throws {
        let monitor = monitor()
        let other = Task.immediate { try await monitor.nextCycle() }
        await ticks.arrivals(1)
        monitor.start()
        await tick()
        await clock.sleepers(1)
        ticks.open()
        _ = try await other.value
        #expect(ticks.arrivalCount == 1)
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
        #expect(ticks.arrivalCount == 0)
        monitor.updateCurrentScreen(nil)
        await tick()
        await ticks.arrivals(1)
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
        await ticks.arrivals(1)
        monitor.stop()
    }

    @Test("lets the actions of a running cycle finish undisturbed when it is stopped")
    func stopDuringCycle() async {
        let executing = Gate()
        let wasCancelled = Journal<Bool>()
        ticks.open()
        let monitor = monitor {
            await executing.pass()
            wasCancelled.write(Task.isCancelled)
            return .completed
        }
        var events = monitor.events.makeAsyncIterator()
        monitor.start()
        await tick()
        await executing.arrivals(1)
        monitor.stop()
        executing.open()
        while let event = await events.next(), event != .ended(evaluation: 1) {}
        #expect(wasCancelled.entries == [false])
    }

    @Test("logs what failed in a tick, because nobody gets its report")
    func failure() async {
        ticks.open()
        let monitor = monitor { .failed("no answer") }
        monitor.start()
        await tick()
        await ticks.arrivals(1)
        await clock.sleepers(1)
        #expect(log.entries == ["monitor action failed action=tick reason=no answer"])
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
        final class Counting: MonitorOrchestrator {
            let ticks = Gate()
            override func reevaluate() async {
                await ticks.pass()
                await super.reevaluate()
            }
        }
        let monitor = Counting(interval: 0.1, clock: clock)
        monitor.ticks.open()
        monitor.start()
        await tick()
        await monitor.ticks.arrivals(1)
        monitor.stop()
    }

    @Test(
        "refuses an interval that is no number of seconds it can wait",
        arguments: [0, -1, .infinity, .nan, .leastNonzeroMagnitude, 1e-10, 1e300]
    )
    func badInterval(_ interval: Double) async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [bits = interval.bitPattern as UInt64] in
            _ = MonitorOrchestrator(interval: Double(bitPattern: bits))
        }
        let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(output.contains("needs a number of seconds from 1e-9 to 3155760000"))
    }
}
