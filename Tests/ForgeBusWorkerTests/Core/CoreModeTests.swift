import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("A mode")
struct CoreModeTests {
    private var harness: CoreHarness

    init() throws {
        harness = CoreHarness(
            monitors: ["stock.eu", "stock.us", "fraud"].map { name in
                HostedMonitor(name, MonitorOrchestrator(), topics: ["t"])
            },
            access: try Operator.policy()
        )
        for monitor in 0..<3 {
            let cycle = MonitorCycle(number: 1, actions: [])
            harness.step(.cycleEnded(monitor: monitor, .ran(cycle)))
        }
        harness.advance(by: .seconds(1))
    }

    @discardableResult
    private mutating func show(
        _ screen: String?,
        to monitors: NamePattern,
        for time: Duration = .seconds(10),
        id: String = "a"
    ) throws -> [String] {
        harness.step(try Operator.sends(.mode(ModeRequest(monitors, screen: screen, for: time)), id: id))
    }

    @discardableResult
    private mutating func notify(_ id: String) throws -> [String] {
        let change = StateChange(topic: "t", wantsEvaluation: true)
        return harness.step(try Operator.sends(.notify(change), id: id))
    }

    @Test("is shown to every monitor that the pattern means, and to no other")
    mutating func pattern() throws {
        let lines = try show("deploy", to: "stock.*")
        #expect(Set(lines.filter { $0.hasPrefix("show") }) == ["show deploy to 0", "show deploy to 1"])
        #expect(lines.contains { $0.hasPrefix("7<a") })
    }

    @Test("ends with its time, though nobody says so")
    mutating func end() throws {
        try show("deploy", to: "fraud")
        #expect(harness.advance(by: .milliseconds(9_999)).isEmpty)
        #expect(harness.advance(by: .milliseconds(1)) == ["show nothing to 2"])
        #expect(harness.advance(by: .seconds(3600)).isEmpty)
    }

    @Test("takes the place of the one that was on, its time included")
    mutating func replaced() throws {
        try show("deploy", to: "fraud", for: .seconds(10))
        harness.advance(by: .seconds(5))
        try show("migration", to: "fraud", for: .seconds(10), id: "b")
        #expect(harness.advance(by: .seconds(9)).isEmpty)
        #expect(harness.advance(by: .seconds(1)) == ["show nothing to 2"])
        try show("deploy", to: "fraud", id: "c")
        #expect(try show(nil, to: "fraud", id: "d").contains("show nothing to 2"))
        #expect(harness.advance(by: .seconds(10)).isEmpty, "it was ended before")
    }

    @Test("is shown once, however often it is sent, and its time is not counted anew")
    mutating func again() throws {
        try show("deploy", to: "fraud")
        harness.advance(by: .seconds(5))
        let again = try show("deploy", to: "fraud")
        #expect(!again.contains { $0.hasPrefix("show") })
        #expect(harness.advance(by: .seconds(5)) == ["show nothing to 2"])
    }

    @Test("that excludes a monitor keeps its debt, and one cycle is run for that when it ends")
    mutating func debt() throws {
        try show("deploy", to: "fraud")
        harness.step(.standingChanged(monitor: 2, .excluded))
        for id in ["n1", "n2", "n3"] {
            let lines = try notify(id)
            #expect(!lines.contains("cycle 2"))
        }
        for monitor in 0..<2 {
            harness.step(.cycleEnded(monitor: monitor, .ran(MonitorCycle(number: 2, actions: []))))
        }
        #expect(harness.advance(by: .seconds(10)).contains("show nothing to 2"))
        #expect(harness.step(.standingChanged(monitor: 2, .free)) == ["cycle 2"])
    }
}
