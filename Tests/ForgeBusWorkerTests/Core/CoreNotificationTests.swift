import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("A notification")
struct CoreNotificationTests {
    private var harness = CoreHarness(monitors: [
        HostedMonitor("stock", MonitorOrchestrator(), topics: ["orders.>"]),
        HostedMonitor("fraud", MonitorOrchestrator(), topics: ["orders.*.paid", "payments.>"]),
    ])

    init() {
        for monitor in 0...1 { end(monitor, cycle: 1) }
        harness.advance(by: .seconds(1))
    }

    @discardableResult
    private mutating func end(_ monitor: Int, cycle: Int, failing: Bool = false) -> [String] {
        let result: ActionResult = failing ? .failed("no") : .completed
        let action = ActionReport(id: "check", result: result, start: .zero, duration: .zero)
        return harness.step(.cycleEnded(monitor: monitor, .ran(MonitorCycle(number: cycle, actions: [action]))))
    }

    @discardableResult
    private mutating func notify(
        _ topic: Name,
        id: String = "a",
        wantsEvaluation: Bool = true,
        deadline: Duration? = nil
    ) -> [String] {
        let change = StateChange(topic: topic, wantsEvaluation: wantsEvaluation, deadline: deadline)
        return harness.send(.notify(change), id: id)
    }

    @Test("that must survive the worker is kept until a cycle that covers it has succeeded")
    mutating func durable() {
        harness = CoreHarness(
            monitors: [HostedMonitor("stock", MonitorOrchestrator(), topics: ["orders.>"])],
            durability: .fsynced
        )
        end(0, cycle: 1)
        harness.advance(by: .seconds(1))
        let change = StateChange(topic: "orders.42", durability: .fsynced)
        #expect(harness.send(.notify(change)) == ["1<a accepted by 1", "cycle 0"])
        #expect(harness.kept.keys.contains(.debt("stock")))
        end(0, cycle: 2, failing: true)
        #expect(harness.kept.keys.contains(.debt("stock")), "a cycle that failed covers nothing")
        #expect(harness.advance(by: .seconds(2)) == ["cycle 0"])
        end(0, cycle: 3)
        #expect(!harness.kept.keys.contains(.debt("stock")))
    }

    @Test("that need not survive it is kept in no store")
    mutating func volatile() {
        notify("orders.42", wantsEvaluation: false)
        #expect(!harness.kept.keys.contains(.debt("stock")))
    }

    @Test("starts a cycle of each monitor that follows the topic")
    mutating func followers() {
        #expect(notify("orders.42", wantsEvaluation: false) == ["1<a accepted by 1", "cycle 0"])
        #expect(notify("payments.7", wantsEvaluation: false) == ["1<a accepted by 1", "cycle 1"])
        #expect(end(0, cycle: 2).isEmpty)
    }

    @Test("that nobody follows is accepted, and evaluated by nobody at once")
    mutating func nobody() {
        #expect(notify("weather") == ["1<a accepted by 0", "1<a evaluated"])
        #expect(harness.core.evaluations.count == 0)
    }

    @Test("is evaluated when the last covering cycle has ended")
    mutating func evaluated() {
        #expect(notify("orders.42.paid") == ["1<a accepted by 2", "cycle 0", "cycle 1"])
        #expect(end(1, cycle: 2).isEmpty)
        #expect(end(0, cycle: 2, failing: true) == ["1<a evaluated, fraud ran in 2, stock failed in 2"])
    }

    @Test("during a cycle is covered by the next one")
    mutating func during() {
        notify("orders.1", wantsEvaluation: false)
        for number in 0..<10 { notify("orders.2", id: "b\(number)") }
        harness.advance(by: .seconds(1))
        #expect(end(0, cycle: 2) == ["cycle 0"])
        #expect(end(0, cycle: 3) == (0..<10).map { "1<b\($0) evaluated, stock ran in 3" })
    }

    @Test("soon after the last cycle's start waits for the gap")
    mutating func gap() {
        notify("orders.1", wantsEvaluation: false)
        end(0, cycle: 2)
        #expect(notify("orders.2", wantsEvaluation: false) == ["1<a accepted by 1"])
        #expect(harness.advance(by: .milliseconds(99)).isEmpty)
        #expect(harness.advance(by: .milliseconds(1)) == ["cycle 0"])
    }

    @Test("with a deadline is answered then with what is pending, and not again")
    mutating func deadline() {
        notify("orders.42.paid", deadline: .seconds(5))
        end(1, cycle: 2)
        #expect(harness.advance(by: .seconds(5)) == ["1<a evaluated, fraud ran in 2, stock pending"])
        #expect(end(0, cycle: 2).isEmpty)
        #expect(harness.core.evaluations.count == 0)
    }

    @Test("with a deadline that was met is not answered at it, and leaves nothing behind")
    mutating func metDeadline() {
        for number in 0..<10_000 {
            notify("orders.1", id: "n\(number)", deadline: .seconds(1_000_000))
            end(0, cycle: number)
            harness.advance(by: .milliseconds(100))
        }
        #expect(harness.core.evaluations.count == 0)
        #expect(harness.core.deadlines.count <= 4097)
    }

    @Test("whose monitor was emptied is evaluated without a cycle")
    mutating func emptied() {
        notify("orders.42")
        #expect(harness.step(.cycleEnded(monitor: 0, .stopped)) == ["1<a evaluated, stock ran"])
    }

    @Test("for a monitor that holds its cycle back is answered at once as excluded")
    mutating func heldBack() {
        notify("orders.1", id: "a")
        notify("orders.1", id: "b")
        let told = harness.step(.standingChanged(monitor: 0, .heldBack))
        #expect(told == ["1<a evaluated, stock excluded", "1<b evaluated, stock excluded"])
        #expect(notify("orders.1", id: "c") == ["1<c accepted by 1", "1<c evaluated, stock excluded"])
    }

    @Test("that may have come after the exclusion lifted is covered by one more cycle: none is lost")
    mutating func afterLift() {
        notify("orders.1", wantsEvaluation: false)
        harness.step(.standingChanged(monitor: 0, .heldBack))
        // Between the lift, of which the core is not told, and the end of the cycle that was held back.
        notify("orders.2", id: "late", wantsEvaluation: false)
        notify("orders.3", id: "later", wantsEvaluation: false)
        harness.advance(by: .seconds(1))
        #expect(end(0, cycle: 2).isEmpty)
        #expect(harness.step(.standingChanged(monitor: 0, .free)) == ["cycle 0"])
        #expect(end(0, cycle: 3).isEmpty)
    }
}

@Suite("A check that only a monitor's interval causes")
struct CoreIntervalTests {
    private var harness = CoreHarness(
        monitors: [HostedMonitor("stock", MonitorOrchestrator(interval: 60), topics: ["orders.>"])]
    )

    @discardableResult
    private mutating func end(failing reason: String? = nil) -> [String] {
        let action = ActionReport(
            id: "check",
            result: reason.map { .failed($0) } ?? .completed,
            start: .zero,
            duration: .zero
        )
        return harness.step(.cycleEnded(monitor: 0, .ran(MonitorCycle(number: 1, actions: [action]))))
    }

    @Test("is reported only if it fails; its repetition is reported as every other cycle")
    mutating func quiet() {
        end()
        harness.send(.watch(WatchRequest("monitor.stock", credit: 99)), id: "w")
        let known = harness.journal.count
        for _ in 0..<3 {
            #expect(harness.advance(by: .seconds(60)) == ["cycle 0"])
            #expect(end().isEmpty)
        }
        #expect(harness.journal.count == known)
        #expect(harness.advance(by: .seconds(60)) == ["cycle 0"])
        #expect(end(failing: "no disk").count == 1, "the watch hears that it fails")
        #expect(harness.journal.last?.event == "cycle_failed")
        #expect(harness.kept[.trouble("stock")] != nil)
        let repeated = harness.advance(by: .seconds(1))
        #expect(repeated.count == 2 && repeated.contains("cycle 0"), "\(repeated)")
        #expect(end().count == 1, "the watch hears that it works again")
        #expect(harness.journal.last?.event == "cycle_ran" && harness.kept[.trouble("stock")] == nil)
    }

    @Test("has the time limit of every cycle, and is repeated when that has passed")
    mutating func overdue() {
        end()
        #expect(harness.advance(by: .seconds(60)) == ["cycle 0"])
        #expect(harness.advance(by: .seconds(60)) == ["cancel cycle 0"])
        end()
        #expect(harness.core.lanes[0].trouble?.count == 1)
        #expect(harness.advance(by: .seconds(1)) == ["cycle 0"])
    }
}
