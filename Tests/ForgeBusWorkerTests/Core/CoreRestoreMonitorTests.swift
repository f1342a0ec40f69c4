import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

private let hosted = [HostedMonitor("stock", MonitorOrchestrator(), topics: ["orders.>"])]

@Suite("What an earlier worker owed a monitor")
struct CoreRestoreMonitorTests {
    private var core = RestartedCore(monitors: hosted)

    init() { end(1) }

    @discardableResult
    private mutating func end(_ cycle: Int, failing: Bool = false) -> [String] {
        let result: ActionResult = failing ? .failed("no") : .completed
        let action = ActionReport(id: "check", result: result, start: .zero, duration: .zero)
        return core.decide(.cycleEnded(monitor: 0, .ran(MonitorCycle(number: cycle, actions: [action]))))
    }

    private mutating func notify(_ topic: Name, _ durability: Durability) {
        core.send(.notify(StateChange(topic: topic, body: Array("1".utf8), durability: durability)))
    }

    @Test("is among the causes of the first cycle, and is forgotten when a cycle has covered it")
    mutating func debt() throws {
        notify("orders.1", .fsynced)
        notify("orders.2", .fsynced)
        notify("orders.2", .fsynced)
        notify("orders.3", .memory)
        core.restart()
        #expect(core.decide(.ready) == ["cycle 0"])
        let causes = try #require(core.causes.last)
        #expect(causes.topics.map { "\($0.topic) \($0.count)" } == ["orders.1 1", "orders.2 2"])
        end(1, failing: true)
        #expect(core.kept.keys.contains(.debt("stock")), "a cycle that failed covers nothing")
        core.restart(isReady: true)
        #expect(core.causes.last == causes)
        end(1)
        #expect(!core.kept.keys.contains(.debt("stock")))
    }

    @Test("waits for it through a worker that does not host it")
    mutating func unhosted() {
        notify("orders.1", .fsynced)
        #expect(core.restart(monitors: [], isReady: true).isEmpty)
        core.restart(monitors: hosted, isReady: true)
        #expect(core.causes.last?.count == 1)
    }
}

@Suite("A mode that was on when the worker died")
struct CoreRestoreModeTests {
    private var core: RestartedCore

    init() throws {
        core = RestartedCore(
            monitors: hosted,
            access: try Operator.policy()
        )
        core.decide(try Operator.sends(.mode(ModeRequest(">", screen: "deploy", for: .seconds(60)))))
    }

    @Test("is on for the rest of its time")
    mutating func rest() {
        #expect(core.restart(after: .seconds(20)) == ["show deploy to 0"])
        core.decide(.ready)
        #expect(!core.advance(by: .milliseconds(39_999)).contains("show nothing to 0"))
        #expect(core.advance(by: .milliseconds(1)).contains("show nothing to 0"))
        #expect(!core.kept.keys.contains(.mode("stock")))
    }

    @Test("is forgotten in the taking over when its time passed meanwhile")
    mutating func over() {
        #expect(core.restart(after: .seconds(60)).isEmpty)
        #expect(!core.kept.keys.contains(.mode("stock")))
    }
}
