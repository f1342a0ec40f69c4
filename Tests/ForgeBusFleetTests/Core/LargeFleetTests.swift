import ForgeBusProtocol
import Foundation
import Testing

@testable import ForgeBusFleet

@Suite("A core that asks a thousand workers")
struct LargeFleetTests {
    @Test("asks each what it must, and gets along with a window")
    func thousand() throws {
        let names = try (0..<1_000).map { try Name("node-\($0)") }
        let (began, start) = (ContinuousClock.now, ContinuousClock.now)
        var core = FleetCore(.change, of: names.map { Inventory.Worker($0) }, at: start)
        var (waiting, asked) = (core.begin(at: start)[...], 0)
        while let effect = waiting.popFirst() {
            guard case .ask(let name, let command, _) = effect else { continue }
            asked += 1
            waiting += core.answered(name, answer(command, of: name), at: start.advanced(by: .milliseconds(asked)))
        }
        let report = core.report
        // One in ten has failed, and is asked for the reasons, too.
        #expect(asked == 2_100)
        #expect(core.isOver)
        #expect(report.counts == [.converged: 900, .failed: 100])
        if ProcessInfo.processInfo.environment["FORGE_SCHEDULES"] != nil {
            print("1,000 workers, \(asked) answers: \(ContinuousClock.now - began)")
        }
    }

    private func answer(_ command: Request.Command, of name: Name) -> Answer.Content {
        let isBad = name.text.hasSuffix("7")
        return switch command {
        case .hello:
            .welcome(
                Welcome(
                    worker: name.text,
                    state: .ready,
                    durability: .memory,
                    retention: .seconds(60),
                    features: [Welcome.lastCycle],
                    limits: [:]
                )
            )
        case .notify: .evaluated(Evaluation(monitors: [.test("age", isBad ? .failed : .ran), .test("disk")]))
        default: .page(Page(items: [MonitorItem.test(failure: .test).json, MonitorItem.test("disk").json]))
        }
    }
}
