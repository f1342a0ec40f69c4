import Testing

@testable import ForgeBusWorker

@Suite("A monitor lane")
struct MonitorLaneTests {
    private var lane = MonitorLane(name: "m", topics: ["orders.>"], minimumGap: .milliseconds(100))

    private func at(_ milliseconds: Int) -> Moment {
        Moment(nanoseconds: 0, unixMilliseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    private func evaluation(_ number: UInt64) -> EvaluationID { EvaluationID(number: number) }

    @Test("runs a cycle for a notification, and tells who asked when it is over")
    mutating func one() {
        #expect(lane.stateName == "idle")
        #expect(lane.notified(telling: evaluation(1), at: at(0)) == .run)
        #expect(lane.stateName == "running")
        let end = lane.cycleEnded(at: at(10))
        #expect(end.told == [evaluation(1)])
        #expect(end.next == .none)
        #expect(lane.cycles == 1)
        #expect(lane.isSettled)
    }

    @Test("owes exactly one more cycle for any number of notifications during one, and that covers them all")
    mutating func many() {
        _ = lane.notified(telling: evaluation(1), at: at(0))
        for number in 2...100 as ClosedRange<UInt64> {
            #expect(lane.notified(telling: evaluation(number), at: at(5)) == .none)
        }
        #expect(lane.stateName == "running, owed")
        let first = lane.cycleEnded(at: at(200))
        #expect(first.told == [evaluation(1)], "the others came after it began")
        #expect(first.next == .run)
        let second = lane.cycleEnded(at: at(400))
        #expect(second.told == (2...100).map(evaluation))
        #expect(second.next == .none)
    }

    @Test("leaves the gap between the starts of two cycles, and covers what comes in it")
    mutating func gap() {
        _ = lane.notified(telling: nil, at: at(0))
        _ = lane.cycleEnded(at: at(10))
        #expect(lane.notified(telling: evaluation(1), at: at(40)) == .wait(until: at(100)))
        #expect(lane.stateName == "owed")
        #expect(!lane.isSettled)
        #expect(lane.notified(telling: evaluation(2), at: at(60)) == .none)
        #expect(lane.gapEnded(at: at(100)) == .run)
        #expect(lane.cycleEnded(at: at(110)).told == [evaluation(1), evaluation(2)])
        #expect(lane.gapEnded(at: at(300)) == .none, "nothing is owed")
    }

    @Test("does not wait when the gap is over already")
    mutating func afterGap() {
        _ = lane.notified(telling: nil, at: at(0))
        _ = lane.cycleEnded(at: at(10))
        #expect(lane.notified(telling: nil, at: at(100)) == .run)
    }

    @Test("does not tell who gave up waiting, whether its cycle runs or is owed")
    mutating func forgetting() {
        _ = lane.notified(telling: evaluation(1), at: at(0))
        _ = lane.notified(telling: evaluation(2), at: at(1))
        _ = lane.notified(telling: evaluation(3), at: at(1))
        lane.forget(evaluation(1))
        lane.forget(evaluation(2))
        #expect(lane.cycleEnded(at: at(200)).told.isEmpty)
        #expect(lane.cycleEnded(at: at(300)).told == [evaluation(3)])
    }

    @Test("that is held back tells everyone at once, and is settled though its cycle is still to come")
    mutating func heldBack() {
        _ = lane.notified(telling: evaluation(1), at: at(0))
        _ = lane.notified(telling: evaluation(2), at: at(1))
        #expect(lane.heldBack() == [evaluation(1), evaluation(2)])
        #expect(lane.isHeldBack)
        #expect(lane.isSettled)
        #expect(lane.stateName == "excluded")
        let end = lane.cycleEnded(at: at(900))
        #expect(end.told.isEmpty, "nobody is told twice")
        #expect(end.next == .run, "the second notification may have come after the cycle began")
        #expect(!lane.isHeldBack)
    }

    @Test("follows what its patterns mean")
    func topics() {
        #expect(lane.follows("orders.42.paid"))
        #expect(!lane.follows("orders"))
        #expect(!lane.follows("stock.42"))
    }
}
