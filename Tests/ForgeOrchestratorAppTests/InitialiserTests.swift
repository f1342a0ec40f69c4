import ForgeOrchestrator
import Foundation
import Testing

// What an application has written for the original. It is its own compiler's test: the target imports the library's product
// and sees nothing of the package.

private final class LaunchOrchestrator: SequenceOrchestrator {
    private(set) var steps: [String]
    var title: String

    override init() {
        title = "launch"
        steps = ["made"]
        super.init()
        registerSteps()
        title += "ed"
    }

    private func registerSteps() {
        register(Nothing())
        steps.append("registered")
    }
}

private final class FeedOrchestrator: PipelineOrchestrator {
    private let source: String

    override init() {
        source = "feed"
        super.init()
    }
}

private final class PolicyMonitor: MonitorOrchestrator {
    private(set) var asked = 0

    override init(interval: TimeInterval? = nil) {
        super.init(interval: interval ?? 300)
        updateCurrentScreen("Start")
        asked = 0
    }

    override func reevaluate() async {
        asked += 1
        await super.reevaluate()
    }
}

/// Not an override: the original's monitor has no initialiser without a parameter.
private final class SessionMonitor: MonitorOrchestrator {
    init() { super.init(interval: 60) }
}

private final class PlainMonitor: MonitorOrchestrator {}

/// A server's code, which is on no actor.
private func makeElsewhere(_ clock: any Clock<Duration>) -> [any Sendable] {
    [
        SequenceOrchestrator(), PipelineOrchestrator(), MonitorOrchestrator(), MonitorOrchestrator(interval: 300),
        MonitorOrchestrator(interval: .seconds(300)), MonitorOrchestrator(interval: nil, clock: clock),
        SequenceOrchestrator(clock: clock), PipelineOrchestrator(clock: clock), PlainMonitor(interval: 5, clock: clock),
    ]
}

private struct Nothing: SequenceAction {
    let id: ActionID = "nothing"
    let priority: ActionPriority = .low
    func shouldRun() async -> Bool { true }
    func execute() async {}
}

/// Objects that are made when they are first asked for, as applications keep their services.
@MainActor
private struct Services {
    private var makers: [String: @MainActor () -> AnyObject] = [:]

    mutating func add<Service: AnyObject>(_ name: String, _ make: @escaping @MainActor () -> Service) {
        makers[name] = make
    }

    func service(_ name: String) -> AnyObject? { makers[name]?() }
}

@MainActor
@Suite("The original's initialisers")
struct InitialiserTests {
    @Test("can be overridden")
    func overridden() async {
        let launch = LaunchOrchestrator()
        #expect(await launch.evaluate() == ["nothing"])
        #expect(launch.title == "launched" && launch.steps == ["made", "registered"])
        #expect(await FeedOrchestrator().evaluate() == [])
        let monitor = PolicyMonitor()
        await monitor.reevaluate()
        #expect(monitor.asked == 1)
        PolicyMonitor(interval: 5).stop()
        SessionMonitor().stop()
        PlainMonitor(interval: 5).stop()
        PlainMonitor().stop()
    }

    @Test("leave their calls to those that are bound to no actor")
    func elsewhere() {
        #expect(makeElsewhere(ContinuousClock()).count == 9)
    }

    @Test("are functions")
    func functions() async {
        let makeSequence = SequenceOrchestrator.init
        let makePipeline = PipelineOrchestrator.init
        let makeMonitor = MonitorOrchestrator.init
        #expect(await makeSequence().evaluate() == [])
        #expect(await makePipeline().evaluate() == [])
        makeMonitor(nil).start()

        var services = Services()
        services.add("sequence", SequenceOrchestrator.init)
        services.add("launch", LaunchOrchestrator.init)
        services.add("pipeline", PipelineOrchestrator.init)
        #expect(services.service("sequence") is SequenceOrchestrator)
        #expect(services.service("launch") is LaunchOrchestrator)
        #expect(services.service("pipeline") is PipelineOrchestrator)
        #expect([0.5, 300].map(MonitorOrchestrator.init).count == 2)
    }
}
