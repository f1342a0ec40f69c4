import ForgeBusProtocol
import Testing

@testable import ForgeBusFleet

@Suite("The receipt of a change")
struct FleetReceiptTests {
    private func notify(_ names: Name..., expecting monitors: [Name] = [], until: Duration? = nil) -> FleetHarness {
        var fleet = FleetHarness(.change, of: names, expecting: monitors) { plan, now in
            plan.until = until.map { now.advanced(by: $0) }
        }
        _ = fleet.begin()
        return fleet
    }

    @Test("is good when all its cycles ran")
    func good() {
        var fleet = notify("a")
        #expect(fleet.greet("a") == ["a NOTIFY"])
        #expect(fleet.evaluate("a", [.test(), .test("disk")]) == ["a release"])
        #expect(fleet.states("a") == [.converged, .converged])
        #expect(fleet.core.report.outcome == .good)
    }

    @Test("asks a worker with another state for the reasons")
    func reasons() {
        var fleet = notify("a")
        fleet.greet("a")
        #expect(fleet.evaluate("a", [.test(), .test("disk", .failed)]) == ["a LIST "])
        #expect(fleet.states("a") == [.failed, .converged])
        let items: [MonitorItem] = [.test(), .test("disk", failure: .test)]
        #expect(fleet.list("a", items) == ["a release"])
        let line = fleet.core.report.exceptions.first
        #expect(line?.subject == "disk")
        #expect(line?.failures == 3)
        #expect(line?.state == .failed)
    }

    @Test("keeps what EVALUATED has said when LIST does not come")
    func listFails() {
        var fleet = notify("a")
        fleet.greet("a")
        fleet.evaluate("a", [.test(), .test("disk", .failed)])
        #expect(fleet.fail("a", .forbidden) == ["a release"])
        #expect(fleet.states("a") == [.failed, .converged])
    }

    @Test("notifies a worker again that does not let the asker read its monitors")
    func unreadable() {
        var fleet = notify("a", until: .seconds(60))
        fleet.greet("a")
        fleet.evaluate("a", [.test("disk", .failed)])
        #expect(fleet.fail("a", .forbidden) == [])
        #expect(fleet.states("a") == [.failed])
        #expect(fleet.pass(.seconds(2)) == ["a HELLO"])
        #expect(fleet.greet("a") == ["a NOTIFY"])
        #expect(fleet.evaluate("a", [.test("disk")]) == ["a release"])
        #expect(fleet.states("a") == [.converged])
    }

    @Test("does not take a cycle that evaluated nothing for a good one")
    func nothingEvaluated() {
        var fleet = notify("a")
        fleet.greet("a")
        #expect(fleet.evaluate("a", [.test(cycle: nil)]) == ["a LIST "])
        fleet.list("a", [.test(ago: .seconds(60))])
        #expect(fleet.states("a") == [.notYet])
        #expect(fleet.core.report.outcome == .open)
    }

    @Test(
        "is weighed against LIST, which is newer",
        arguments: [
            // What EVALUATED said, what LIST says a second after the change, and what follows.
            (Evaluation.State.failed, MonitorItem.test(ago: .milliseconds(100)), FleetState.converged),
            (.ran, .test(ago: .milliseconds(100), ended: .failed, failure: .test), .failed),
            (.ran, .test(ago: .seconds(2)), .converged),
            (.failed, .test(ago: .seconds(2)), .failed),
            (.overdue, .test(ago: .milliseconds(100), ended: .overdue, failure: .test), .overdue),
            (.excluded, .test("age", .excluded), .excluded),
            (.excluded, .test("age", .excluded, pause: PauseItem(by: "ada", since: 0)), .waived),
        ]
    )
    func weighed(_ said: Evaluation.State, _ item: MonitorItem, _ state: FleetState) {
        var fleet = notify("a")
        fleet.greet("a")
        fleet.pass(.seconds(1))
        // Another monitor makes the core ask for the reasons.
        fleet.evaluate("a", [.test("age", said), .test("disk", .failed)])
        fleet.list("a", [item])
        #expect(fleet.core.lines(of: "a").first { $0.subject == "age" }?.state == state)
    }

    @Test("tells a cycle that has not ended as pending")
    func pending() {
        var fleet = notify("a")
        fleet.greet("a")
        fleet.evaluate("a", [.test()], pending: ["disk"])
        fleet.list("a", [.test(), .test("disk", .running, ago: .seconds(9))])
        #expect(fleet.states("a") == [.pending, .converged])
    }

    @Test("tells that no monitor follows the topic, or that an expected one is missing")
    func noMonitor() {
        var fleet = notify("a")
        fleet.greet("a")
        #expect(fleet.evaluate("a", []) == ["a release"])
        #expect(fleet.core.report.outcome == .nothing)
        var other = notify("a", expecting: ["age"])
        other.greet("a")
        #expect(other.evaluate("a", []) == ["a LIST "])
        other.list("a", [])
        #expect(other.states("a") == [.missing])
    }

    @Test("asks again until all have converged, longer and longer apart, and looks before it notifies")
    func until() {
        var fleet = notify("a", until: .seconds(60))
        fleet.greet("a")
        fleet.evaluate("a", [.test("age", .failed)])
        #expect(fleet.list("a", [.test(ago: .zero, ended: .failed, failure: .test)]) == [])
        #expect(fleet.pass(.seconds(1)) == ["a HELLO"])
        #expect(fleet.greet("a") == ["a LIST "])
        #expect(fleet.list("a", [.test(ago: .milliseconds(900), ended: .failed, failure: .test)]) == [])
        #expect(fleet.states("a") == [.failed])
        #expect(fleet.pass(.seconds(1)) == [])
        #expect(fleet.pass(.seconds(1)) == ["a HELLO"])
        fleet.greet("a")
        #expect(fleet.list("a", [.test(ago: .milliseconds(100))]) == ["a release"])
        #expect(fleet.core.isOver)
        #expect(fleet.core.report.counts == [.converged: 1])
    }

    @Test("notifies a worker that comes back and has not evaluated the change")
    func comesBack() {
        for item: MonitorItem in [.test(), .test(ago: .seconds(70)), .test(failure: .test)] {
            var fleet = notify("a", until: .seconds(60))
            #expect(fleet.fail("a", .timeout) == [])
            #expect(fleet.states("a") == [.silent])
            fleet.pass(.seconds(1))
            fleet.greet("a")
            #expect(fleet.list("a", [item]) == ["a NOTIFY"])
            #expect(fleet.evaluate("a", [.test()]) == ["a release"])
            #expect(fleet.core.report.counts == [.converged: 1])
        }
    }

    @Test("ends by its time, with what is known")
    func end() {
        var fleet = notify("a", "b", "c", until: .seconds(5))
        fleet.greet("a")
        fleet.evaluate("a", [.test()])
        fleet.greet("b")
        fleet.pass(.seconds(4))
        #expect(!fleet.core.isOver)
        #expect(fleet.pass(.seconds(1)) == ["b release", "c release"])
        #expect(fleet.core.isOver)
        #expect(fleet.core.report.counts == [.converged: 1, .pending: 1, .silent: 1])
    }

    @Test("ends by its time although a slot would have become free later")
    func endDuringTurns() {
        var fleet = FleetHarness(.change, of: ["a", "b", "c"]) { plan, now in
            (plan.window, plan.until) = (1, now.advanced(by: .milliseconds(2_500)))
        }
        _ = fleet.begin()
        fleet.greet("a")
        fleet.greet("b")
        #expect(fleet.pass(.milliseconds(2_499)) == [])
        #expect(fleet.pass(.milliseconds(1)) == ["a release", "b release", "c release"])
        #expect(fleet.core.isOver)
    }

    @Test("is refused when access is taken away before EVALUATED")
    func accessRemoved() {
        var fleet = notify("a")
        fleet.greet("a")
        fleet.accept("a")
        fleet.fail("a", .forbidden)
        #expect(fleet.states("a") == [.refused])
    }

    @Test("is pending when the worker has accepted the notification and is silent since")
    func acceptedAndSilent() {
        var fleet = notify("a")
        fleet.greet("a")
        fleet.accept("a")
        fleet.fail("a", .timeout)
        #expect(fleet.states("a") == [.pending])
    }
}
