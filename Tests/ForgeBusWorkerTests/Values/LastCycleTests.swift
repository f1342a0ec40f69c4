import ForgeBusProtocol
import ForgeBusStore
import Testing

@testable import ForgeBusWorker

@Suite("The latest cycle of a monitor")
struct LastCycleTests {
    private var lane = LaneUnderTest(CycleTiming(minimumGap: .zero, timeLimit: .seconds(60)))

    @Test("is there only after a cycle has ended")
    mutating func absent() {
        #expect(lane.last == nil)
        #expect(lane.start() == ["begin"])
        #expect(lane.pass(.seconds(1)) == [] && lane.last == nil)
        _ = lane.end()
        #expect(lane.last != nil)
    }

    @Test("is as old as its beginning, not as its end")
    mutating func age() {
        _ = lane.start()
        _ = lane.pass(.seconds(3))
        _ = lane.end()
        #expect(lane.last == LastCycle(beganAgo: .seconds(3), took: .seconds(3), state: .ran))
        _ = lane.pass(.seconds(5))
        #expect(lane.last == LastCycle(beganAgo: .seconds(8), took: .seconds(3), state: .ran))
        _ = lane.notify()
        _ = lane.pass(.seconds(1))
        #expect(lane.last?.beganAgo == .seconds(9), "a cycle that runs is not the latest ended one")
        _ = lane.end()
        #expect(lane.last == LastCycle(beganAgo: .seconds(1), took: .seconds(1), state: .ran))
    }

    @Test("is each cycle of the interval, however it ends")
    mutating func interval() {
        lane = LaneUnderTest(CycleTiming(minimumGap: .zero, timeLimit: .seconds(60), interval: .seconds(10)))
        _ = lane.start()
        _ = lane.end()
        for _ in 1...3 {
            #expect(lane.pass(.seconds(10)) == ["begin"])
            _ = lane.end()
            #expect(lane.last == LastCycle(beganAgo: .zero, took: .zero, state: .ran))
        }
    }

    @Test("has failed, or was overdue")
    mutating func bad() {
        _ = lane.start()
        _ = lane.end(failed: true)
        #expect(lane.last?.state == .failed)
        _ = lane.notify()
        #expect(lane.pass(.seconds(61)) == ["cancel"])
        #expect(lane.last?.state == .failed && lane.last?.beganAgo == .seconds(61), "it has not ended")
        _ = lane.end()
        #expect(lane.last?.state == .overdue && lane.last?.took == .seconds(61))
        _ = lane.notify()
        _ = lane.pass(.seconds(61))
        _ = lane.end(failed: true)
        #expect(lane.last?.state == .overdue, "it was cancelled")
    }

    @Test("that was held back is as old as its order, and took the time since it began")
    mutating func heldBack() {
        _ = lane.start()
        _ = lane.pass(.seconds(1))
        _ = lane.stand(.heldBack)
        _ = lane.pass(.seconds(3600))
        // The monitor may have evaluated conditions before the lane hears that it does not hold the cycle back.
        _ = lane.stand(.free)
        _ = lane.pass(.seconds(2))
        _ = lane.end()
        #expect(lane.last == LastCycle(beganAgo: .seconds(3603), took: .seconds(2), state: .ran))
    }

    @Test("is not one that evaluated nothing")
    mutating func stopped() {
        _ = lane.start()
        _ = lane.end(.stopped)
        #expect(lane.last == nil && lane.lane.cycles == 1)
        _ = lane.notify()
        _ = lane.end(failed: true)
        _ = lane.pass(.seconds(1))
        _ = lane.notify()
        _ = lane.end(.stopped)
        #expect(lane.last == LastCycle(beganAgo: .seconds(1), took: .zero, state: .failed))
    }

    @Test("is not one of an earlier worker")
    mutating func restored() {
        var lane = MonitorLane(name: "m", topics: [">"])
        lane.restore(TroubleRecord(monitor: "m", since: 5))
        let item = lane.item(at: Moment(nanoseconds: 0, unixMilliseconds: 0))
        #expect(item.last == nil && item.failure?.count == 1)
    }
}
