import Testing

@testable import ForgeBusWorker

@Suite("A monitor lane whose cycle takes too long")
struct OverdueLaneTests {
    private var lane = LaneUnderTest()

    @Test("tells whom it covers, cancels it, and begins no other before it has returned")
    mutating func overdue() {
        _ = lane.notify(1)
        _ = lane.notify(2)
        #expect(lane.pass(.milliseconds(59_999)) == [])
        #expect(lane.pass(.milliseconds(1)) == ["cancel", "overdue for [1]"])
        #expect(lane.lane.state == .overdueOwed)
        #expect(!lane.lane.isSettled)
        #expect(lane.pass(.seconds(30)) == [])
        #expect(lane.end() == ["begin for 2"], "nobody is told twice, and what was cut short is covered again")
        #expect(lane.end() == ["ended for [2]"])
    }

    @Test("tells those who wait for the next one too, when the same time has passed again")
    mutating func stuck() {
        _ = lane.notify(1)
        _ = lane.pass(.seconds(61))
        _ = lane.notify(2)
        #expect(lane.pass(.seconds(58)) == [])
        #expect(lane.pass(.seconds(1)) == ["cancel", "overdue for [2]"])
        #expect(lane.end() == ["begin for 2"], "the debt stays")
        #expect(lane.end() == [])
    }

    @Test("owes another after a backoff, because it was cut short")
    mutating func backoff() {
        _ = lane.notify(1)
        _ = lane.pass(.seconds(60))
        #expect(lane.end() == [])
        #expect(lane.lane.state == .owed)
        let pause = lane.timeUntilNext() ?? .zero
        #expect(pause >= .milliseconds(500) && pause <= .seconds(1))
    }

    @Test("does not count the time that an exclusion holds it back")
    mutating func heldBack() {
        _ = lane.notify(1)
        _ = lane.pass(.seconds(50))
        #expect(lane.stand(.heldBack) == ["excluded for [1]"])
        #expect(lane.pass(.seconds(3600)) == [])
        #expect(lane.stand(.free) == [])
        #expect(lane.notify(2) == [])
        #expect(lane.pass(.seconds(59)) == [])
        #expect(lane.pass(.seconds(1)) == ["cancel"])
    }
}

@Suite("A monitor lane whose cycle failed")
struct FailedLaneTests {
    private var lane = LaneUnderTest()

    @Test("owes another after 1 s, twice as long after each failure, 5 min at most, less up to a half by chance")
    mutating func backoff() {
        _ = lane.notify(1)
        #expect(lane.end(failed: true) == ["ended for [1]"])
        for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
            let pause = lane.timeUntilNext() ?? .zero
            #expect(pause >= .milliseconds(500 * seconds) && pause <= .seconds(seconds))
            #expect(lane.lane.state == .running)
            #expect(lane.end(failed: true) == [])
        }
    }

    @Test("forgets its failures when a cycle succeeds")
    mutating func reset() {
        _ = lane.notify()
        for _ in 0..<5 {
            _ = lane.end(failed: true)
            _ = lane.timeUntilNext()
        }
        #expect(lane.end() == [])
        #expect(lane.pass(.seconds(3600)) == [])
        _ = lane.notify()
        _ = lane.end(failed: true)
        let pause = lane.timeUntilNext() ?? .zero
        #expect(pause >= .milliseconds(500) && pause <= .seconds(1))
    }

    @Test("covers again what the one that failed covered")
    mutating func causes() {
        _ = lane.notify()
        _ = lane.notify()
        _ = lane.pass(.milliseconds(100))
        #expect(lane.end(failed: true) == ["begin for 2"])
        #expect(lane.end(failed: true) == [])
        #expect(lane.pass(.seconds(2)) == ["begin for 2"])
    }

    @Test("does not keep a notification waiting, beyond the gap")
    mutating func notified() {
        _ = lane.notify()
        _ = lane.end(failed: true)
        #expect(lane.notify(1) == [])
        #expect(lane.pass(.milliseconds(99)) == [])
        #expect(lane.pass(.milliseconds(1)) == ["begin for 2"])
        #expect(lane.end() == ["ended for [1]"])
        #expect(lane.pass(.seconds(3600)) == [], "that was the cycle that was owed")
    }

    @Test("does nothing at the moment of a waking that an earlier one took the place of, and no longer awaits it")
    mutating func staleWaking() throws {
        var lane = MonitorLane(name: "m", topics: [">"])
        let start = Moment(nanoseconds: 0, unixMilliseconds: 0)
        _ = lane.open(within: .zero, at: start)
        var next = lane.nextWake()
        let limit = try #require(next)
        #expect(lane.awaits(wake: limit.number))
        _ = lane.cycleEnded(.failed("no"), at: start)
        next = lane.nextWake()
        let retry = try #require(next)
        #expect(retry.moment < limit.moment)
        #expect(!lane.awaits(wake: limit.number))
        #expect(lane.woken(limit.number, at: retry.moment) == [])
        #expect(lane.woken(retry.number, at: retry.moment) == [.begin(MonitorCauses())])
    }

    @Test("waits for no backoff when the worker stops, and is settled")
    mutating func drain() {
        _ = lane.notify()
        _ = lane.end(failed: true)
        #expect(!lane.lane.isSettled)
        #expect(lane.drain() == [])
        #expect(lane.lane.isSettled)
        #expect(lane.pass(.seconds(3600)) == [])
    }

    @Test("while the worker stops is not owed again")
    mutating func draining() {
        _ = lane.notify()
        _ = lane.drain()
        #expect(lane.end(failed: true) == [])
        #expect(lane.lane.isSettled)
        #expect(lane.pass(.seconds(3600)) == [])
    }

    @Test("waits another time than others that failed with it")
    func spread() {
        let pauses = (0..<20).compactMap { number in
            var lane = LaneUnderTest(seed: "run-\(number)")
            _ = lane.notify()
            _ = lane.end(failed: true)
            return lane.timeUntilNext()
        }
        #expect(Set(pauses).count > 10)
    }
}

@Suite("A monitor lane with an interval")
struct IntervalLaneTests {
    private var lane = LaneUnderTest(CycleTiming(interval: .seconds(60)))

    @Test("begins a cycle at each tick from the start on, and announces it")
    mutating func ticks() {
        #expect(lane.announced == nil && lane.pass(.seconds(3600)) == [], "the worker is not ready")
        #expect(lane.start() == ["begin"])
        #expect(lane.announced == nil, "one runs")
        #expect(!lane.lane.isRoutine)
        #expect(lane.end() == [])
        #expect(lane.lane.state == .idle && lane.announced == .seconds(60))
        for _ in 0..<3 {
            #expect(lane.pass(.seconds(59)) == [])
            #expect(lane.announced == .seconds(1))
            #expect(lane.pass(.seconds(1)) == ["begin"])
            #expect(lane.lane.isRoutine)
            #expect(lane.end() == [])
        }
    }

    @Test("drops the ticks that fall due while a cycle runs, and keeps to the multiples of the interval")
    mutating func dropped() {
        _ = lane.start()
        let wakings = lane.wakings
        #expect(lane.pass(.seconds(59)) == [])
        #expect(lane.pass(.seconds(91)).filter { $0 != "cancel" } == [])
        #expect(lane.wakings == wakings + 2, "only its time limit wakes the lane")
        _ = lane.end()
        #expect(lane.pass(.seconds(1)) == ["begin"], "what was cut short is repeated")
        _ = lane.end()
        #expect(lane.announced == .seconds(29))
        lane = LaneUnderTest(CycleTiming(timeLimit: .seconds(200), interval: .seconds(60)))
        _ = lane.start()
        #expect(lane.pass(.seconds(150)) == [])
        #expect(lane.end() == [] && lane.announced == .seconds(30))
        #expect(lane.pass(.seconds(29)) == [])
        #expect(lane.pass(.seconds(1)) == ["begin"])
    }

    @Test("drops the ticks of an exclusion, and owes nothing for them")
    mutating func excluded() {
        _ = lane.start()
        _ = lane.end()
        _ = lane.stand(.excluded)
        #expect(lane.announced == nil)
        #expect(lane.pass(.seconds(150)) == [])
        #expect(lane.stand(.free) == [])
        #expect(lane.announced == .seconds(30))
    }

    @Test("begins the repetition of a failed cycle with the tick, if that comes earlier")
    mutating func repeated() {
        _ = lane.notify()
        #expect(lane.end(failed: true) == [])
        _ = lane.start(within: .seconds(1))
        for _ in 0..<12 {
            _ = lane.pass(lane.announced ?? .zero)
            #expect(!lane.lane.isRoutine, "it covers the notification")
            #expect(lane.end(failed: true) == [])
        }
        // By now each pause is longer than the interval.
        let pause = lane.announced ?? .zero
        #expect(pause <= .seconds(60))
        #expect(lane.pass(pause) == ["begin for 1"])
        #expect(lane.end() == [] && lane.lane.trouble == nil)
    }

    @Test("leaves a cycle that waits for silence its time")
    mutating func debounced() {
        let debounce = HostedMonitor.Debounce(quiet: .seconds(10), maximumWait: .seconds(30))
        lane = LaneUnderTest(CycleTiming(debounce: debounce, interval: .seconds(60)))
        _ = lane.start()
        _ = lane.end()
        _ = lane.pass(.seconds(55))
        _ = lane.notify()
        #expect(lane.announced == .seconds(10))
        #expect(lane.pass(.seconds(9)) == [])
        #expect(lane.pass(.seconds(1)) == ["begin for 1"])
        _ = lane.end()
        #expect(lane.announced == .seconds(55))
    }

    @Test("does not tick within the gap, nor once the worker stops")
    mutating func limits() {
        lane = LaneUnderTest(CycleTiming(minimumGap: .seconds(100), interval: .seconds(60)))
        _ = lane.start()
        _ = lane.end()
        #expect(lane.pass(.seconds(99)) == [])
        #expect(lane.pass(.seconds(1)) == ["begin"])
        _ = lane.end()
        _ = lane.pass(.seconds(30))
        #expect(lane.announced == .seconds(70) && lane.lane.state == .idle)
        #expect(lane.drain() == [] && lane.lane.isSettled)
        #expect(lane.announced == nil && lane.pass(.seconds(3600)) == [])
    }
}

@Suite("A monitor lane during an exclusion")
struct ExcludedLaneTests {
    private var lane = LaneUnderTest()

    @Test("answers at once, keeps the debt, and begins one cycle for all of it when the exclusion lifts")
    mutating func kept() {
        #expect(lane.stand(.excluded) == [])
        #expect(lane.lane.state == .excluded)
        for number in 1...10 as ClosedRange<UInt64> { #expect(lane.notify(number) == ["excluded for [\(number)]"]) }
        #expect(lane.lane.isSettled, "it may be for ever")
        #expect(lane.pass(.seconds(3600)) == [])
        #expect(lane.stand(.free) == ["begin for 10"])
        #expect(lane.end() == [])
        #expect(lane.lane.state == .idle)
    }

    @Test("tells who waited already for a cycle that has not begun")
    mutating func waiting() {
        _ = lane.notify(1)
        _ = lane.notify(2)
        #expect(lane.stand(.excluded) == ["excluded for [2]"])
        #expect(lane.stand(.excluded) == [])
        #expect(lane.end() == ["ended for [1]"], "the one that ran goes on")
        #expect(lane.stand(.free) == [], "the gap is not over")
        #expect(lane.pass(.milliseconds(100)) == ["begin for 1"])
    }

    @Test("keeps what waited for the gap, the backoff or silence")
    mutating func ordered() {
        _ = lane.notify()
        _ = lane.end(failed: true)
        _ = lane.stand(.excluded)
        #expect(lane.pass(.seconds(3600)) == [])
        #expect(lane.stand(.free) == ["begin for 1"])
    }

    @Test("whose cycle the monitor holds back tells everyone at once, and is settled though that is still to come")
    mutating func heldBack() {
        _ = lane.notify(1)
        _ = lane.notify(2)
        #expect(lane.stand(.heldBack) == ["excluded for [1, 2]"])
        #expect(lane.lane.isSettled)
        #expect(lane.lane.state == .excluded)
        #expect(lane.notify(3) == ["excluded for [3]"])
        _ = lane.pass(.milliseconds(900))
        #expect(lane.end() == [], "the lane has not heard that the exclusion has lifted")
        #expect(!lane.lane.isHeldBack)
        #expect(lane.stand(.free) == ["begin for 2"], "the others may have come after the cycle began")
        #expect(lane.end() == [])
    }

    @Test("begins no other beside one that the monitor held back and then began, though the exclusion came again")
    mutating func heldBackAndBegun() {
        _ = lane.notify(1)
        _ = lane.stand(.heldBack)
        #expect(lane.stand(.excluded) == [])
        #expect(lane.lane.state == .excluded)
        #expect(!lane.lane.isSettled, "it runs")
        #expect(lane.notify(2) == ["excluded for [2]"])
        #expect(lane.pass(.seconds(60)) == ["cancel"], "and its time is counted")
        #expect(lane.end() == [])
        #expect(lane.stand(.free) == ["begin for 2"])
    }

    @Test("takes no cycle of somebody else that is held back for its own")
    mutating func others() {
        #expect(lane.stand(.heldBack) == [])
        #expect(!lane.lane.isHeldBack)
        #expect(lane.stand(.free) == [])
        #expect(lane.lane.state == .idle)
    }

    @Test("that is a mode's ends with its time, and a new mode takes the place of the old one")
    mutating func mode() {
        lane.showScreen(for: .seconds(10))
        #expect(lane.pass(.seconds(9)) == [])
        lane.showScreen(for: .seconds(10))
        #expect(lane.pass(.seconds(9)) == [])
        #expect(lane.pass(.seconds(1)) == ["end mode"])
        lane.showScreen(for: .seconds(10))
        lane.showScreen(for: nil)
        #expect(lane.pass(.seconds(3600)) == [])
    }
}
