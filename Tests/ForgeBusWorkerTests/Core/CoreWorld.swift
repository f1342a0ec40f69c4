import ForgeBusProtocol
import ForgeOrchestrator
import ZeroMQ

@testable import ForgeBusWorker

/// A worker's core among clients, actions, a store and a network, in which everything happens in an order that a seed
/// decides: messages come twice, late or never, commits are done late, actions return when they like.
struct CoreWorld {
    /// What an action of a run is doing.
    private enum Activity {
        case executing
        case waiting(SignalID, WaiterID)
        /// Its task was cancelled; it returns some time.
        case cancelled
    }

    private var harness: CoreHarness
    private var generator: SeededGenerator
    private var network: [Received] = []
    private var lane = CommitLane()
    private var commits: [CommitLane.Ticket] = []
    private var activities: [RunID: Activity] = [:]
    private var cycles: [Int] = []
    private var lastWaiter: UInt64 = 0
    private var isDrained = false
    private(set) var rules = CoreRules()

    /// Tight ones, so that they are reached.
    private static func limits(_ seed: UInt64) -> WorkerLimits {
        var limits = WorkerLimits()
        limits.unfinishedRuns = 4
        limits.queuedRuns = seed.isMultiple(of: 2) ? 1 : 5
        limits.waitingSignals = 2
        limits.evaluations = 1
        limits.earlyDecisionsPerPrincipal = 1
        return limits
    }

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        harness = CoreHarness(
            pipelines: [HostedPipeline("p", PipelineOrchestrator(), slots: 2)],
            monitors: [HostedMonitor("m", MonitorOrchestrator(), topics: [">"])],
            limits: Self.limits(seed),
            retention: .seconds(3600),
            isReady: false
        )
    }

    mutating func run(steps: Int) {
        step(.ready)
        for _ in 0..<steps { act() }
        settle()
    }

    private mutating func act() {
        switch generator.below(17) {
        case 0...3: network.append(message())
        case 4...7: deliver()
        case 8...10: commit()
        case 11...13: progress()
        case 14: if generator.oneIn(4) { die() }
        case 15: if !cycles.isEmpty { step(.cycleEnded(monitor: cycles.removeFirst(), .stopped)) }
        default: pass(.milliseconds(generator.oneIn(5) ? 31_000 : generator.below(3_000)))
        }
    }

    /// Somebody sends something; ids and signals are few, so that they meet.
    private mutating func message() -> Received {
        let id = RequestID.numbered(generator.below(14))
        let signal = SignalID(unchecked: "g\(generator.below(4))")
        let keep: Duration = generator.oneIn(4) ? .zero : .seconds(5)
        let command: Request.Command =
            switch generator.below(8) {
            case 0...3: .run(RunRequest(pipeline: "p", deadline: generator.oneIn(3) ? .seconds(4) : nil))
            case 4: .notify(StateChange(topic: "t", wantsEvaluation: true, deadline: .seconds(2)))
            case 5...6: .decide(Decision(signal: signal, outcome: .approved(value: [0x31]), keep: keep))
            default: .decide(Decision(signal: signal, outcome: .rejected(reason: "no"), keep: keep))
            }
        return Received(Request(command, id: id), from: generator.below(3))
    }

    /// One of the messages under way arrives, perhaps not for the last time, or is lost.
    private mutating func deliver() {
        guard !network.isEmpty else { return }
        let index = generator.below(network.count)
        let message = network[index]
        if !generator.oneIn(3) { network.remove(at: index) }
        if !generator.oneIn(8) { step(.received(message)) }
    }

    /// A client dies: what it sent and has not arrived is gone, and nobody reads what it is told.
    private mutating func die() {
        let peer = PeerID.numbered(generator.below(3))
        network.removeAll { $0.peer == peer }
    }

    /// An action goes on: it opens a signal, gives up waiting for one, or ends its run.
    private mutating func progress() {
        guard let (run, activity) = activities.sorted(by: { $0.key < $1.key }).randomElement(using: &generator)
        else { return }
        switch activity {
        case .executing where generator.oneIn(2): open(run)
        case .executing, .cancelled: end(run)
        case .waiting(let signal, let waiter):
            if generator.oneIn(10) { step(.withdrawn(signal, waiter, why: "cancelled")) }
        }
    }

    private mutating func open(_ run: RunID) {
        lastWaiter += 1
        let signal = SignalID(unchecked: "g\(generator.below(4))")
        let waiter = WaiterID(number: lastWaiter)
        let kind: SignalKind = generator.oneIn(3) ? .signal : .gate
        let waiting = GateBook.Waiting(owner: .action(run, "a"), kind: kind, waiter: waiter)
        activities[run] = .waiting(signal, waiter)
        rules.opened(signal, waiter)
        step(.opened(SignalOpening(signal: signal, waiting: waiting, deadline: generator.oneIn(2) ? .seconds(3) : nil)))
    }

    private mutating func end(_ run: RunID) {
        activities[run] = nil
        step(.runEnded(run, .test(failing: generator.oneIn(3) ? "no" : nil), outputs: [:], flaw: nil))
    }

    private mutating func pass(_ duration: Duration) {
        let end = harness.now.advanced(by: duration)
        while let consequences = harness.tick(until: end) { take(consequences) }
    }

    private mutating func step(_ event: Event) { take(harness.consequences(of: event)) }

    /// Holds the effects until what they rest on is committed.
    private mutating func take(_ consequences: Consequences) {
        rules.emitted(consequences.effects)
        rules.check(harness.core)
        if !consequences.changes.isEmpty {
            commits.append(lane.begin(consequences.effects))
        } else if lane.isEmpty {
            carryOut(consequences.effects)
        } else {
            lane.wait(consequences.effects)
        }
    }

    /// One of the commits under way is done.
    private mutating func commit() {
        guard !commits.isEmpty else { return }
        for effects in lane.finish(commits.remove(at: generator.below(commits.count))) { carryOut(effects) }
    }

    private mutating func carryOut(_ effects: [Effect]) {
        for effect in effects {
            rules.carriedOut(effect)
            switch effect {
            case .answer: break
            case .start(let start): activities[start.run] = .executing
            case .cancel(let run): if case .executing = activities[run] { activities[run] = .cancelled }
            case .abandon(let run): step(.abandoned(run, action: "a"))
            case .resume(let waiter, let outcome): resume(waiter, outcome)
            case .runCycle(let monitor, _): cycles.append(monitor)
            case .cancelCycle, .show, .audit: break
            case .drained: isDrained = true
            }
        }
    }

    private mutating func resume(_ waiter: WaiterID, _ outcome: WaitOutcome) {
        if case .registered = outcome { return }
        for case (let run, .waiting(_, waiter)) in activities { activities[run] = .executing }
    }

    /// Everything comes to its end, some of it because the worker stops.
    private mutating func settle() {
        step(.drain)
        for message in network where generator.oneIn(2) { step(.received(message)) }
        if generator.oneIn(3) { step(.drainTimeEnded) }
        // Twice, because time may begin a cycle that waited for its gap.
        for _ in 0..<2 {
            while !isSettled { settleOne() }
            pass(.seconds(1))
        }
        pass(.seconds(30 * 24 * 3600))
        while !commits.isEmpty { commit() }
        rules.checkEnd(harness.core, kept: harness.keptCount)
        if !isDrained { rules.violate("never drained") }
    }

    private var isSettled: Bool {
        commits.isEmpty && activities.isEmpty && cycles.isEmpty && harness.core.runs.isEmpty
    }

    private mutating func settleOne() {
        if !commits.isEmpty { return commit() }
        if !cycles.isEmpty { return step(.cycleEnded(monitor: cycles.removeFirst(), .stopped)) }
        guard let (run, activity) = activities.min(by: { $0.key < $1.key }) else { return pass(.seconds(60)) }
        if case .waiting(let signal, let waiter) = activity {
            step(.withdrawn(signal, waiter, why: "the end"))
        }
        end(run)
    }
}

extension RequestID {
    /// A request's id that only has a number.
    static func numbered(_ number: Int) -> RequestID {
        var generator = SeededGenerator(seed: UInt64(number))
        return .random(using: &generator)
    }
}
