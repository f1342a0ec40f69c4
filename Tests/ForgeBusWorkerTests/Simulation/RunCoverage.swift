import ForgeBusProtocol

@testable import ForgeBusWorker

/// How often each event about a run came in each of the run's states.
struct RunCoverage: Sendable {
    /// A state of ``RunMachine``, a suspended one by what it waits for, and what is left of a run.
    enum State: Int, CaseIterable {
        case queued, executing, waiting, retrying, ready, parked, stopping, over

        init(_ run: RunMachine) {
            switch run.state {
            case .queued: self = .queued
            case .running, .settling: self = .executing
            case .waiting, .waitingInCode: self = run.standing == .waiting ? .waiting : .retrying
            case .ready: self = .ready
            case .parked: self = .parked
            case .stopping: self = .stopping
            }
        }
    }

    /// What happens to a run.
    enum Happening: Int, CaseIterable {
        case show, attach, cancel, redrive, decision, withdrawal, step, opening, gate, failure, end, abandonment, death
    }

    private var counts: [Int]
    private static let width = State.allCases.count

    init() { counts = [Int](repeating: 0, count: Happening.allCases.count * Self.width) }

    subscript(_ happening: Happening, _ state: State) -> Int {
        counts[happening.rawValue * Self.width + state.rawValue]
    }

    mutating func merge(_ other: RunCoverage) {
        for index in counts.indices { counts[index] += other.counts[index] }
    }

    /// An event is about to be stepped.
    mutating func record(_ event: Event, _ core: WorkerState) {
        guard let (happening, run) = Self.happening(event, core) else { return }
        if let machine = core.runs[run] {
            count(happening, State(machine))
        } else if core.ended[run] != nil {
            count(happening, .over)
        }
    }

    /// The worker is about to die, or has stopped and leaves its runs.
    mutating func recordDeath(_ core: WorkerState) {
        for run in core.runs.unfinished { count(.death, State(run)) }
    }

    private mutating func count(_ happening: Happening, _ state: State) {
        counts[happening.rawValue * Self.width + state.rawValue] += 1
    }

    private static func happening(_ event: Event, _ core: WorkerState) -> (Happening, Name)? {
        switch event {
        case .received(let received): happening(received.request.command, core)
        case .transition(let run, _, _, _): (.step, run)
        case .runEnded(let run, _, _, _): (.end, run)
        case .abandoned(let run, _): (.abandonment, run)
        case .opened(let opening): opening.waiting.owner.run.map { (.opening, $0) }
        case .withdrawn(let signal, let waiter, _):
            // Of a wait that is over already, the id may be another run's by now.
            core.signals.wait(for: signal).flatMap { wait in
                wait.waiter == waiter ? wait.owner.run.map { (.withdrawal, $0) } : nil
            }
        case .rested(let rest): (rest.kind.signal == nil ? .failure : .gate, rest.run)
        case .printed, .told, .disconnected, .replaced, .probed, .cycleEnded, .runRequested, .standingChanged,
            .published,
            .publicationsMayBeLost:
            nil
        case .accessReplaced, .performed, .lookedUp, .room, .ready, .drain, .drainTimeEnded, .tick: nil
        }
    }

    private static func happening(_ command: Request.Command, _ core: WorkerState) -> (Happening, Name)? {
        switch command {
        case .attach(let request): (.attach, request.run)
        case .cancel(let request): (.cancel, request.run)
        case .redrive(let request): (.redrive, request.run)
        case .show(let request): request.kind == .run ? (.show, request.name) : nil
        case .decide(let decision): core.signals.owner(of: decision.signal)?.run.map { (.decision, $0) }
        case _: nil
        }
    }
}

extension RunCoverage {
    /// The table: a line for each event with a column for each state; a dash stands where the event cannot meet the state.
    var table: String {
        let head = "run".padded(to: 14) + State.allCases.map { "\($0)".padded(to: 11) }.joined()
        let lines = Happening.allCases.map { happening in
            "\(happening)".padded(to: 14)
                + State.allCases.map { state in
                    let count = self[happening, state]
                    return (count == 0 && !happening.canMeet(state) ? "-" : String(count)).padded(to: 11)
                }.joined()
        }
        return ([head] + lines).joined(separator: "\n")
    }

    /// Pairs that can come and came less often than they should.
    func gaps(below least: Int) -> [String] {
        pairs { $0.canMeet($1) && self[$0, $1] < least }
    }

    /// Pairs that cannot come, and did: then the table's dashes are wrong.
    var surprises: [String] { pairs { !$0.canMeet($1) && self[$0, $1] > 0 } }

    private func pairs(where isMeant: (Happening, State) -> Bool) -> [String] {
        Happening.allCases.flatMap { happening in
            State.allCases.filter { isMeant(happening, $0) }.map {
                "\(happening) of a run \($0): \(self[happening, $0])"
            }
        }
    }
}

extension RunCoverage.Happening {
    /// Whether the event can come in the state at all.
    fileprivate func canMeet(_ state: RunCoverage.State) -> Bool {
        switch self {
        case .show, .attach, .cancel, .redrive: true
        // A run that has not begun owns no signal.
        case .decision: state != .queued
        // Only a task tells of these. One that waits within an action tells nothing else meanwhile; one that was given up
        // tells of anything, when its run is to end or has ended.
        case .step, .gate, .failure, .end: state == .executing || state == .stopping || state == .over
        case .opening: state != .queued && state != .retrying && state != .parked
        case .withdrawal: state != .queued && state != .retrying && state != .parked
        // Asked for only when the run is to end; it may end meanwhile.
        case .abandonment: state == .stopping || state == .over
        case .death: state != .over
        }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
