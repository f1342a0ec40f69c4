import Testing

@testable import ForgeBusWorker

@Suite("A monitor lane")
struct MonitorLaneTests {
    private var lane = LaneUnderTest()

    @Test("runs a cycle for a notification, and tells who asked when it is over")
    mutating func one() {
        #expect(lane.lane.state == .idle)
        #expect(lane.notify(1) == ["begin for 1"])
        #expect(lane.lane.state == .running)
        #expect(lane.end() == ["ended for [1]"])
        #expect(lane.lane.cycles == 1)
        #expect(lane.lane.isSettled)
    }

    @Test("owes exactly one more cycle for any number of notifications during one, and that covers them all")
    mutating func many() {
        _ = lane.notify(1)
        for number in 2...100 as ClosedRange<UInt64> { #expect(lane.notify(number) == []) }
        #expect(lane.lane.state == .runningOwed)
        _ = lane.pass(.milliseconds(200))
        #expect(lane.end() == ["ended for [1]", "begin for 99"], "the others came after it began")
        #expect(lane.end() == ["ended for \((2...100).map { $0 })"])
        #expect(lane.pass(.seconds(3600)) == [])
    }

    @Test("leaves the gap between the starts of two cycles, and covers what comes in it")
    mutating func gap() {
        _ = lane.notify()
        _ = lane.end()
        _ = lane.pass(.milliseconds(40))
        #expect(lane.notify(1) == [])
        #expect(lane.lane.state == .owed)
        #expect(!lane.lane.isSettled)
        #expect(lane.notify(2) == [])
        #expect(lane.pass(.milliseconds(59)) == [])
        #expect(lane.pass(.milliseconds(1)) == ["begin for 2"])
        #expect(lane.end() == ["ended for [1, 2]"])
        #expect(lane.pass(.seconds(3600)) == [], "nothing is owed")
    }

    @Test("does not wait when the gap is over already")
    mutating func afterGap() {
        _ = lane.notify()
        _ = lane.end()
        _ = lane.pass(.milliseconds(100))
        #expect(lane.notify() == ["begin for 1"])
    }

    @Test("does not tell who gave up waiting, whether its cycle runs or is owed")
    mutating func forgetting() {
        for number in 1...3 as ClosedRange<UInt64> { _ = lane.notify(number) }
        lane.forget(1)
        lane.forget(2)
        _ = lane.pass(.milliseconds(200))
        #expect(lane.end() == ["begin for 2"])
        #expect(lane.end() == ["ended for [3]"])
    }

    @Test("is evaluated once at the start, within the time that is given, and at once for a notification")
    mutating func start() {
        #expect(lane.start() == ["begin"])
        var spread = LaneUnderTest(seed: "a")
        #expect(spread.start(within: .seconds(1)) == [])
        #expect(spread.lane.state == .owed)
        #expect(spread.pass(.seconds(1)) == ["begin"])
        var notified = LaneUnderTest(seed: "a")
        _ = notified.start(within: .seconds(1))
        #expect(notified.notify(1) == ["begin for 1"])
        #expect(notified.end() == ["ended for [1]"])
        #expect(notified.pass(.seconds(3600)) == [], "that was the evaluation at the start")
    }

    @Test("starts at a moment that its process and its name decide")
    func spread() {
        func delay(_ seed: String) -> Duration? {
            var lane = LaneUnderTest(seed: seed)
            _ = lane.start(within: .seconds(1))
            return lane.timeUntilNext()
        }
        let delays = (0..<50).compactMap { delay("run-\($0)") }
        #expect(delays.count == 50)
        #expect(delays == (0..<50).compactMap { delay("run-\($0)") }, "and not by chance")
        #expect(delays.contains { $0 < .milliseconds(300) } && delays.contains { $0 > .milliseconds(700) })
    }

    @Test("follows what its patterns mean")
    func topics() {
        #expect(lane.lane.follows("orders.42.paid"))
        #expect(!lane.lane.follows("orders"))
        #expect(!lane.lane.follows("stock.42"))
    }
}

@Suite("A monitor lane that waits for silence")
struct DebouncedLaneTests {
    private var lane = LaneUnderTest(
        CycleTiming(
            minimumGap: .zero,
            debounce: HostedMonitor.Debounce(quiet: .milliseconds(200), maximumWait: .seconds(2))
        )
    )

    @Test("begins when nothing was said for a while")
    mutating func quiet() {
        #expect(lane.notify() == [])
        _ = lane.pass(.milliseconds(150))
        #expect(lane.notify() == [])
        #expect(lane.pass(.milliseconds(199)) == [])
        #expect(lane.pass(.milliseconds(1)) == ["begin for 2"])
    }

    @Test("begins in the end, however much is said")
    mutating func maximumWait() {
        _ = lane.notify(1)
        for _ in 1..<20 {
            #expect(lane.pass(.milliseconds(100)) == [])
            _ = lane.notify()
        }
        #expect(lane.pass(.milliseconds(100)) == ["begin for 20"])
        #expect(lane.end() == ["ended for [1]"])
        #expect(lane.wakings <= 20, "each notification moves the moment on, and costs no waking of its own")
    }

    @Test("counts silence from what came during a cycle, not from its end")
    mutating func duringCycle() {
        _ = lane.notify()
        #expect(lane.pass(.milliseconds(200)) == ["begin for 1"])
        _ = lane.notify()
        _ = lane.pass(.milliseconds(150))
        #expect(lane.end() == [])
        #expect(lane.pass(.milliseconds(50)) == ["begin for 1"])
    }

    @Test("does not keep the evaluation at the start waiting")
    mutating func start() { #expect(lane.start() == ["begin"]) }

    @Test("waits for silence no longer when the worker stops")
    mutating func drain() {
        _ = lane.notify(1)
        #expect(lane.drain() == ["begin for 1"])
        #expect(lane.end() == ["ended for [1]"])
        #expect(lane.lane.isSettled)
    }
}
