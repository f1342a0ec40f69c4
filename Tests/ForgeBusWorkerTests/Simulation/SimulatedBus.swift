import ForgeBusProtocol
import ForgeOrchestrator
import TestSupport

@testable import ForgeBusWorker

/// A whole bus without sockets, threads and clocks, in which everything happens in an order that a seed decides.
///
/// A worker's core stands among clients that keep resending, a network that drops, duplicates, reorders and delays, a
/// store that commits late, actions that do what actions may do, and monitors whose cycles take time. The same seed gives
/// the same schedule in every process.
struct SimulatedBus {
    var harness: CoreHarness
    var generator: SeededGenerator
    var clients: [SimulatedClient]
    var network = SimulatedNetwork()
    var store = SimulatedStore()
    /// The tasks of runs, in the order in which they began; those of runs that were given up, too.
    var tasks: [SimulatedTask] = []
    var monitors = [SimulatedMonitor(), SimulatedMonitor()]
    /// Who spoke last on each connection.
    var speakers: [ConnectionID: Caller] = [:]
    /// What another thread has told the worker and is not stepped yet.
    var posted: [Event] = []
    /// What the turn that is under way has led to so far.
    var turn = Consequences()
    var rules: BusRules
    var coverage: BusCoverage
    /// How many events were stepped.
    private(set) var events = 0
    /// What happened, a line each; nil where nobody wants to read it.
    private(set) var trace: [String]?
    /// What the start-up sequence waits for, until that is over.
    var startWait: (signal: Name, waiter: WaiterID)?
    /// Whether the process announces the plain signals again that an earlier one left.
    var announcesAgain = true
    /// Counts waiters.
    var lastWaiter: UInt64 = 0
    /// Counts the signals that were opened: which ids are in use follows it.
    var opened = 0
    /// The runs that have begun, in this order.
    var begun: [Name] = []
    /// The runs that have no task until they are taken up again.
    var resting: [SimulatedRest] = []
    /// Which attempt at its action a run came to rest in last.
    var attempts: [Name: Int] = [:]
    /// Runs whose tasks the worker does not wait for any more.
    var givenUp: Set<Name> = []
    var isDraining = false
    /// Whether runs are refused whose gate is another's.
    let hasCertainGates: Bool
    /// Whether gates need several votes and have time for them.
    let isVoting: Bool
    let seed: UInt64
    /// When the worker is still to die, in steps of the schedule.
    var crashes: [Int] = []

    init(seed: UInt64, isTraced: Bool = false) {
        generator = SeededGenerator(seed: seed)
        hasCertainGates = BusSetting.hasCertainGates(seed)
        isVoting = BusSetting.isVoting(seed)
        self.seed = seed
        harness = BusSetting.harness(seed, &generator)
        clients = BusSetting.principals.enumerated().map { SimulatedClient($0.offset, of: $0.element) }
        coverage = BusCoverage(of: harness.core)
        rules = BusRules(harness.core, expectsGates: BusSetting.expectsGates(seed), keys: BusSetting.KeyForm(seed))
        trace = isTraced ? [] : nil
    }

    /// Everything that happens in one schedule, and what is left when all of it is over.
    mutating func run() {
        let steps = isVoting ? 250 : 100
        planCrashes(within: steps)
        beginStart()
        for step in 0..<steps where rules.violations.isEmpty {
            if crashes.first == step { crash() }
            act()
        }
        if generator.oneIn(3) { drainAbruptly() }
        settle()
    }

    mutating func act() {
        switch generator.below(32) {
        case 0...6: request()
        case 7...13: deliver()
        case 14...16: commit()
        case 17...22: progressTask()
        case 23...25: progressMonitor()
        case 26...27: handOver()
        case 28: if generator.oneIn(2) { trouble() } else { resend() }
        case 29:
            if generator.oneIn(isVoting ? 2 : 8) {
                replaceAccess()
            } else if generator.oneIn(8) {
                changeRoom()
            } else {
                publish()
            }
        case 30 where isVoting && startWait == nil: waitForVotes()
        default: pass()
        }
    }

    /// The process waits at a gate: mostly where one before it did, so that votes are there.
    private mutating func waitForVotes() {
        if !generator.oneIn(4) { waitAgainAtStart() }
        if startWait == nil { open(nextSignal(), owner: .process("start"), deadline: gateDeadline()) }
    }

    /// Time goes on: mostly a little, now and then beyond every grace and retention; the reactor may be late.
    private mutating func pass() {
        if generator.oneIn(8) { harness.oversleep(.milliseconds(generator.below(1_500))) }
        let isLong = generator.oneIn(7)
        pass(.milliseconds(isLong ? 20_000 + generator.below(50_000) : generator.below(900)))
    }

    mutating func pass(_ duration: Duration) {
        let end = harness.now.advanced(by: duration)
        while let due = harness.core.nextDue, due <= end, rules.violations.isEmpty {
            endTurn()
            harness.oversleep(max(.zero, due.since(harness.now)))
            step(.tick)
            endTurn()
        }
        harness.oversleep(max(.zero, end.since(harness.now)))
    }
}

// How an event becomes effects.
extension SimulatedBus {
    /// Steps the core, as the last event of a turn or with more to follow: a turn of the reactor may hold several.
    mutating func step(_ event: Event) {
        stepWithinTurn(event)
        if !generator.oneIn(4) { endTurn() }
    }

    /// Steps the core; what that leads to leaves with the turn's end, when it is committed.
    mutating func stepWithinTurn(_ event: Event) {
        events += 1
        coverage.record(event, harness.core)
        rules.stepping(event, harness)
        let consequences = harness.consequencesWithinTurn(of: event).inSteadyOrder
        coverage.changed(consequences.changes)
        if trace != nil { note(event.line, consequences) }
        rules.stepped(event, consequences, harness)
        turn += consequences
    }

    /// What the turn led to is committed and leaves; what has become of what was told may lead to something more.
    mutating func endTurn() {
        while gather() {
            let ended = turn
            turn = Consequences()
            for effects in store.take(ended) { carryOut(effects) }
        }
        rules.turnEnded(harness)
    }

    /// Takes together what the turn has led to so far; false where that is nothing.
    private mutating func gather() -> Bool {
        turn += harness.endTurn()
        return !turn.isEmpty
    }

    /// One of the commits under way is done.
    mutating func commit() {
        for effects in store.commit(&generator) { carryOut(effects) }
        endTurn()
    }

    private mutating func carryOut(_ effects: [Effect]) {
        for effect in effects {
            if let flaw = store.leaves(effect) { rules.violate(flaw) }
            switch effect {
            case .answer(let answer, let caller):
                rules.left(answer, caller)
                send(answer, to: caller)
            case .tell(let told): tell(told)
            case .start(let start): begin(start)
            case .cancel(let run): cancel(run)
            case .follow: break
            case .dropRest(let run): dropRest(of: run)
            case .abandon(let run): abandon(run)
            case .resume(let waiter, let outcome): resume(waiter, outcome)
            case .runCycle(let monitor, _): beginCycle(of: monitor)
            case .cancelCycle(let monitor): monitors[monitor].isCutShort = true
            case .show(let screen, let monitor): show(screen, to: monitor)
            case .pause(let isPaused, let monitor): monitors[monitor].pause(isPaused)
            case .lookUp(let query):
                posted.append(.lookedUp(query, .shown(["name": .string(query.name.text)])))
            case .perform(_, let key): perform(key)
            case .audit, .warn: rules.violate("what is audited and warned of is taken out before")
            case .drained: rules.drained()
            }
        }
    }

    /// What another thread has told is stepped.
    mutating func handOver() {
        guard !posted.isEmpty else { return }
        let event = posted.remove(at: generator.oneIn(4) ? generator.below(posted.count) : 0)
        if case .rested(let rest) = event { rested(rest) } else { step(event) }
    }

    /// Adds a line to the trace, if there is one, and what followed below it.
    mutating func note(_ line: String, _ consequences: Consequences = Consequences()) {
        trace?.append("\(harness.now.nanoseconds / 1_000_000) ms  \(line)")
        for effect in consequences.effects { trace?.append("    \(effect.line)") }
    }
}

extension Consequences {
    fileprivate static func += (turn: inout Consequences, more: Consequences) {
        turn.changes += more.changes
        turn.effects += more.effects
    }

    /// The same with what several watches are told of one thing in an order that does not change from process to process.
    var inSteadyOrder: Consequences {
        var steady = self
        var begin = 0
        while begin < effects.count {
            var end = begin
            while end < effects.count, effects[end].route != nil { end += 1 }
            if end - begin > 1 {
                // What one watch is told stays in its order.
                let told = effects[begin..<end].enumerated().sorted { a, b in
                    let (left, right) = (a.element.route ?? (0, ""), b.element.route ?? (0, ""))
                    return left == right ? a.offset < b.offset : left < right
                }
                steady.effects.replaceSubrange(begin..<end, with: told.map(\.element))
            }
            begin = end + 1
        }
        return steady
    }
}

extension Effect {
    /// Which watch is told; nil for anything else.
    fileprivate var route: (peer: Int, id: String)? {
        guard case .tell(let told) = self else { return nil }
        return (told.key.caller.number, told.key.request.text)
    }
}
