import ForgeBusProtocol
import ForgeBusStore

@testable import ForgeBusWorker

/// How often each event came while each book stood in each of its states.
struct BusCoverage: Sendable {
    private static let width = BookState.allCases.count
    private var counts = [Int](repeating: 0, count: EventKind.allCases.count * width)
    /// How many signals are kept in each state.
    private var signals: [BookState: Int] = [:]
    private var states: [Name: BookState] = [:]
    private(set) var runs = RunCoverage()
    private let names: [Name]
    private let topics: [[NamePattern]]

    init(of core: WorkerState) {
        names = core.lanes.map(\.name)
        topics = core.lanes.map(\.topics)
    }

    /// How often an event came in a state.
    subscript(_ kind: EventKind, _ state: BookState) -> Int { counts[kind.row * Self.width + state.rawValue] }

    mutating func merge(_ other: BusCoverage) {
        for index in counts.indices { counts[index] += other.counts[index] }
        runs.merge(other.runs)
    }

    /// An event is about to be stepped.
    mutating func record(_ event: Event, _ core: WorkerState) {
        // They change no book.
        switch event {
        case .lookedUp, .printed: return
        default: break
        }
        var found = BookStates()
        found.insert(BookState(core.phase))
        lanes(event, core, &found)
        ledger(event, core, &found)
        queues(event, core, &found)
        gates(event, &found)
        record(event.kind, found)
        runs.record(event, core)
    }

    private mutating func record(_ kind: EventKind, _ found: BookStates) {
        let row = kind.row * Self.width
        for column in 0..<Self.width where found.bits & (1 << UInt32(column)) != 0 { counts[row + column] += 1 }
    }

    /// The worker is about to die.
    mutating func recordCrash(_ core: WorkerState) {
        var found = BookStates()
        found.insert(BookState(core.phase))
        for lane in core.lanes { found.insert(BookState(lane)) }
        ledger(core, &found)
        for name in BusSetting.pipelines { found.insert(BookState(core.queues, of: name, core)) }
        gates(&found)
        record(.other(.crash), found)
        runs.recordDeath(core)
    }

    /// Another worker begins with these.
    mutating func restarts(from records: [StoreRecord]) {
        (signals, states) = ([:], [:])
        changed(records.map { .put($0) })
    }

    /// The store is told of changes.
    mutating func changed(_ changes: [StoreChange]) {
        for change in changes {
            switch change {
            case .put(.signal(let record)): move(record.signal, to: BookState(record.state))
            case .remove(.signal(let signal)): move(signal, to: nil)
            case .put, .remove, .append, .output, .audit: break
            }
        }
    }

    private mutating func move(_ signal: Name, to state: BookState?) {
        if let before = states[signal] { signals[before, default: 0] -= 1 }
        states[signal] = state
        if let state { signals[state, default: 0] += 1 }
    }
}

// Which states an event meets.
extension BusCoverage {
    private func lanes(_ event: Event, _ core: WorkerState, _ found: inout BookStates) {
        for index in core.lanes.indices where concerns(event, index) { found.insert(BookState(core.lanes[index])) }
    }

    private func concerns(_ event: Event, _ monitor: Int) -> Bool {
        switch event {
        case .cycleEnded(let index, _), .standingChanged(let index, _): index == monitor
        case .received(let received):
            switch received.request.command {
            case .notify(let change): topics[monitor].contains { $0.matches(change.topic) }
            case .mode(let request): request.monitors.matches(names[monitor])
            case .pause(let request):
                request.subject.kind == .monitor ? request.subject.name == names[monitor] : true
            case .show(let request): request.kind == .monitor ? request.name == names[monitor] : true
            default: true
            }
        case .published(let publication, _, _): topics[monitor].contains { $0.matches(publication.topic) }
        case .runRequested(let request): request.monitor == monitor
        case .transition, .printed, .runEnded, .opened, .rested, .abandoned, .told, .withdrawn, .ready, .drain: true
        case .publicationsMayBeLost, .accessReplaced, .performed, .lookedUp, .room, .disconnected, .replaced,
            .probed, .drainTimeEnded, .tick:
            true
        }
    }

    private func ledger(_ event: Event, _ core: WorkerState, _ found: inout BookStates) {
        if case .received(let received) = event, received.request.command.isLedgered {
            switch core.ledger.rule(on: received.key, received.fingerprint) {
            case .new: found.insert(.ledgerUnknown)
            case .known(.run(let run)): found.insert(core.runs[run] == nil ? .ledgerFinished : .ledgerUnfinished)
            case .known(.verdict), .known(.confirmation): found.insert(.ledgerFinished)
            case .conflict: found.insert(.ledgerConflict)
            case .full: found.insert(.ledgerFull)
            }
            return
        }
        guard let run = event.run else { return ledger(core, &found) }
        if core.ledger.count >= core.configuration.limits.requests { found.insert(.ledgerFull) }
        let isOver = core.ended[run] != nil
        found.insert(core.runs[run] != nil ? .ledgerUnfinished : isOver ? .ledgerFinished : .ledgerUnknown)
    }

    private func ledger(_ core: WorkerState, _ found: inout BookStates) {
        if core.ledger.count >= core.configuration.limits.requests { found.insert(.ledgerFull) }
        if core.ledger.count == 0 { found.insert(.ledgerUnknown) }
        if !core.runs.isEmpty { found.insert(.ledgerUnfinished) }
        if core.ledger.count > core.runs.count { found.insert(.ledgerFinished) }
    }

    private func queues(_ event: Event, _ core: WorkerState, _ found: inout BookStates) {
        var pipeline: Name?
        if case .received(let received) = event, case .run(let request) = received.request.command {
            pipeline = request.pipeline
        } else if let run = event.run {
            pipeline = core.runs[run]?.pipeline ?? core.ended[run]?.pipeline
        }
        for name in BusSetting.pipelines where pipeline == nil || pipeline == name {
            found.insert(BookState(core.queues, of: name, core))
        }
    }

    private func gates(_ event: Event, _ found: inout BookStates) {
        guard let signal = event.signal else { return gates(&found) }
        found.insert(states[signal] ?? .gateNone)
    }

    private func gates(_ found: inout BookStates) {
        for (state, count) in signals where count > 0 { found.insert(state) }
        if states.isEmpty { found.insert(.gateNone) }
    }
}

extension Event {
    /// The run it is about; nil where it is about none.
    fileprivate var run: Name? {
        switch self {
        case .received(let received): received.request.command.run
        case .transition(let run, _, _, _), .printed(let run, _), .runEnded(let run, _, _, _), .abandoned(let run, _):
            run
        case .opened(let opening): opening.waiting.owner.run
        case .rested(let rest): rest.run
        case .told, .disconnected, .replaced, .probed, .withdrawn, .cycleEnded, .runRequested, .standingChanged: nil
        case .published, .publicationsMayBeLost: nil
        case .accessReplaced, .performed, .lookedUp, .room, .ready, .drain, .drainTimeEnded, .tick: nil
        }
    }

    /// The signal it is about; nil where it is about none.
    fileprivate var signal: Name? {
        switch self {
        case .received(let received):
            switch received.request.command {
            case .decide(let decision): decision.signal
            case .show(let request): request.kind == .signal ? request.name : nil
            default: nil
            }
        case .opened(let opening): opening.signal
        case .withdrawn(let signal, _, _): signal
        case .rested(let rest): rest.kind.signal
        case .transition, .printed, .runEnded, .abandoned, .told, .cycleEnded, .runRequested, .standingChanged,
            .ready:
            nil
        case .disconnected, .replaced, .probed, .published, .publicationsMayBeLost, .accessReplaced, .performed,
            .lookedUp,
            .room:
            nil
        case .drain, .drainTimeEnded, .tick: nil
        }
    }
}

extension BookState {
    fileprivate init(_ phase: Pong.State) {
        switch phase {
        case .starting: self = .phaseStarting
        case .ready: self = .phaseReady
        case .draining: self = .phaseDraining
        }
    }

    fileprivate init(_ lane: MonitorLane) {
        switch lane.state {
        case .excluded: self = lane.isHeldBack ? .laneHeldBack : .laneExcluded
        case .idle: self = .laneIdle
        case .owed: self = .laneOwed
        case .running: self = .laneRunning
        case .runningOwed: self = .laneRunningAndOwed
        case .overdue: self = .laneOverdue
        case .overdueOwed: self = .laneOverdueAndOwed
        case .unknown(let word): fatalError("a lane is in the unknown state \(word)")
        }
    }

    fileprivate init(_ state: SignalRecord.State) {
        switch state {
        case .waiting: self = .gateWaiting
        case .early: self = .gateEarly
        case .settled(_, .decided, _): self = .gateDecided
        case .settled(_, .expired, _): self = .gateExpired
        case .settled(_, .closed, _): self = .gateClosed
        }
    }

    fileprivate init(_ queues: RunQueues, of pipeline: Name, _ core: WorkerState) {
        let load = queues.load(of: pipeline)
        let slots = core.runs.pipelines[pipeline]?.slots ?? 0
        if queues.isFull(pipeline) {
            self = .queueCrowded
        } else if load == (0, 0) {
            self = .queueEmpty
        } else {
            self = load.held < slots && load.waiting == 0 ? .queueFree : .queueTaken
        }
    }
}
