import ForgeBusProtocol
import ZeroMQ

@testable import ForgeBusFleet

/// A core with a time of its own: answers go in, and what it asks for comes out as short lines.
struct FleetHarness {
    private(set) var core: FleetCore
    private let start = ContinuousClock.now
    private(set) var now: ContinuousClock.Instant
    /// When the core has asked to be woken.
    private var wake: ContinuousClock.Instant?

    init(
        _ question: FleetQuestion,
        of names: [Name],
        expecting monitors: [Name] = [],
        plan change: (inout FleetPlan, ContinuousClock.Instant) -> Void = { _, _ in }
    ) {
        var plan = FleetPlan()
        now = start
        change(&plan, start)
        let expectation = Inventory.Expectation(on: .all, monitors: monitors)
        core = FleetCore(question, of: names.map { Inventory.Worker($0) }, expecting: [expectation], plan, at: start)
    }

    mutating func begin() -> [String] { lines(core.begin(at: now)) }

    /// The worker says which one it is.
    @discardableResult
    mutating func greet(_ name: Name, as other: Name? = nil, features: [String] = [Welcome.lastCycle]) -> [String] {
        let welcome = Welcome(
            worker: (other ?? name).text,
            state: .ready,
            durability: .memory,
            retention: .seconds(60),
            features: features,
            limits: [:]
        )
        return answer(name, .welcome(welcome))
    }

    @discardableResult
    mutating func answer(_ name: Name, _ content: Answer.Content) -> [String] {
        lines(core.answered(name, content, at: now))
    }

    @discardableResult
    mutating func list(_ name: Name, _ items: [MonitorItem], cursor: String? = nil) -> [String] {
        answer(name, .page(Page(items: items.map(\.json), cursor: cursor)))
    }

    @discardableResult
    mutating func evaluate(_ name: Name, _ parts: [Evaluation.Monitor], pending: [Name] = []) -> [String] {
        answer(name, .evaluated(Evaluation(monitors: parts, pending: pending)))
    }

    @discardableResult
    mutating func end(_ name: Name, as state: RunResult.State = .completed) throws -> [String] {
        let result = RunResult(run: RunID(name), state: state, reason: "", actions: [], outputs: [:])
        return answer(name, .result(result))
    }

    @discardableResult
    mutating func fail(_ name: Name, _ code: ErrorCode, _ handshake: HandshakeFailure? = nil) -> [String] {
        lines(core.failed(name, BusError(code, "", next: ""), handshake, at: now))
    }

    @discardableResult
    mutating func stop() -> [String] { lines(core.stop()) }

    mutating func accept(_ name: Name) { core.accepted(name) }

    /// Lets time pass, and wakes the core whenever it has asked for that.
    @discardableResult
    mutating func pass(_ time: Duration) -> [String] {
        let end = now.advanced(by: time)
        var all: [String] = []
        while let moment = wake, moment <= end {
            (now, wake) = (max(now, moment), nil)
            all += lines(core.woke(at: now))
        }
        now = end
        return all
    }

    /// The states of a worker's lines, in order.
    func states(_ name: Name) -> [FleetState] { core.lines(of: name).map(\.state).sorted() }

    private mutating func lines(_ effects: [FleetCore.Effect]) -> [String] {
        effects.compactMap { effect in
            switch effect {
            case .ask(let name, .list(let list), _): return "\(name) LIST \(list.cursor ?? "")"
            case .ask(let name, let command, let id):
                return "\(name) \(command.rules.word)" + (id.map { " \($0)" } ?? "")
            case .release(let name): return "\(name) release"
            case .wake(let moment):
                wake = moment
                return nil
            }
        }
    }
}

extension Inventory.Worker {
    /// A worker that only has a name.
    init(_ name: Name) {
        guard let endpoint = try? Endpoint("tcp://127.0.0.1:7717") else { fatalError("No endpoint.") }
        self.init(name, at: endpoint, key: nil)
    }
}

extension FleetQuestion {
    /// A change of the topic `policy.age` now.
    static let change = FleetQuestion.notify(StateChange(topic: "policy.age", wantsEvaluation: true))
    static let run = FleetQuestion.run(RunRequest(pipeline: "remedy"), id: "r")
}

extension MonitorItem {
    /// A monitor that follows `policy.>` and whose latest cycle began so long ago.
    static func test(
        _ name: Name = "age",
        _ state: State = .idle,
        ago: Duration? = nil,
        ended: LastCycle.State = .ran,
        failure: Failure? = nil,
        pause: PauseItem? = nil
    ) -> MonitorItem {
        let last = ago.map { LastCycle(beganAgo: $0, took: .zero, state: ended) }
        let topics = ["policy.>"]
        return MonitorItem(name, topics: topics, state: state, cycles: 1, last: last, failure: failure, pause: pause)
    }
}

extension MonitorItem.Failure {
    static let test = MonitorItem.Failure(count: 3, unixMilliseconds: 1_790_000_000_000, reason: "age")
}

extension Evaluation.Monitor {
    static func test(_ name: Name = "age", _ state: Evaluation.State = .ran, cycle: Int? = 1) -> Evaluation.Monitor {
        Evaluation.Monitor(monitor: name, cycle: cycle, state: state, actions: [])
    }
}
