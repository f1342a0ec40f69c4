@testable import ForgeBusWorker

extension BusCoverage {
    /// The table: a line for each event with a column for each state, then one for each other happening.
    ///
    /// A dash stands where the event cannot meet the state.
    func table(of seen: [String: Int]) -> String {
        let states = BookState.allCases
        let kinds = EventKind.allCases
        let width = kinds.map { "\($0)".count }.max() ?? 0
        var lines = states.enumerated().map { "column \($0.offset + 1): \($0.element.name)" }
        for kind in kinds {
            let cells = states.map { state in
                let count = self[kind, state] == 0 && !kind.canMeet(state) ? "-" : String(self[kind, state])
                return String(repeating: " ", count: max(1, 9 - count.count)) + count
            }
            let name = "\(kind)"
            lines.append(name + String(repeating: " ", count: width - name.count) + cells.joined())
        }
        lines += Happenings.all.map { "\($0): \(seen[$0, default: 0])" }
        return (lines + [runs.table]).joined(separator: "\n")
    }

    /// What happened less often than it should: every row of the table, and every pair of an event and a state.
    func gaps(in seen: [String: Int], below least: Int) -> [String] {
        var gaps = Happenings.all.filter { seen[$0, default: 0] < least }.map { "\($0): \(seen[$0, default: 0])" }
        for kind in EventKind.allCases {
            for state in BookState.allCases where kind.canMeet(state) && self[kind, state] < least {
                gaps.append("\(kind), \(state.name): \(self[kind, state])")
            }
        }
        return gaps + runs.gaps(below: least)
    }

    /// Which events met states that they cannot meet: then the table's dashes are wrong.
    var surprises: [String] {
        EventKind.allCases.flatMap { kind in
            BookState.allCases.filter { !kind.canMeet($0) && self[kind, $0] > 0 }.map { "\(kind), \($0.name)" }
        } + runs.surprises
    }
}

extension EventKind {
    /// Whether the event can come in the state at all.
    fileprivate func canMeet(_ state: BookState) -> Bool {
        if self == .historyFound { return false }
        return switch state {
        // Nothing runs before the worker is ready but what was over when it was taken over; and it is told so once.
        case .phaseStarting: !tellsOfWork && self != .drainTimeEnded || self == .runEnded
        case .phaseReady: self != .ready && self != .drainTimeEnded
        case .phaseDraining: true
        case .laneIdle: self != .cycleEnded
        case .laneOwed, .laneHeldBack: self != .cycleEnded && self != .ready
        case .laneRunning, .laneRunningAndOwed, .laneOverdue, .laneOverdueAndOwed: self != .ready
        case .laneExcluded: true
        case .ledgerUnknown: true
        // What the store is having done counts before it is kept.
        case .ledgerFull: self != .performed
        case .ledgerUnfinished: self == .run || !isLedgered
        case .ledgerFinished: true
        case .ledgerConflict: isLedgered
        case .queueEmpty, .queueTaken: true
        case .queueFree, .queueCrowded: self != .ready
        case .gateNone, .gateWaiting, .gateEarly, .gateDecided, .gateExpired, .gateClosed: true
        }
    }

    /// Whether it tells of something that was begun.
    private var tellsOfWork: Bool {
        switch self {
        case .transition, .runEnded, .restingAtGate, .failing, .abandoned, .cycleEnded: true
        case .hello, .notify, .run, .attach, .cancel, .redrive, .complete, .reject, .show, .list, .watch, .unwatch:
            false
        case .mode, .admin, .ping, .opened, .taken, .lost, .disconnected, .withdrawn, .standingChanged: false
        case .probed, .published: false
        case .publicationsMayBeLost, .accessReplaced, .performed, .historyFound, .room, .ready, .drain, .drainTimeEnded,
            .tick, .crash:
            false
        }
    }

    /// Whether the event is a request that is done once, and so has a state of its own in the ledger.
    private var isLedgered: Bool {
        switch self {
        case .run, .cancel, .redrive, .complete, .reject, .mode, .admin: true
        case .hello, .notify, .attach, .show, .list, .watch, .unwatch, .ping: false
        case .transition, .runEnded, .opened, .restingAtGate, .failing, .abandoned, .withdrawn: false
        case .taken, .lost, .disconnected, .probed: false
        case .cycleEnded, .standingChanged, .published, .publicationsMayBeLost, .accessReplaced, .performed,
            .historyFound, .room:
            false
        case .ready, .drain, .drainTimeEnded, .tick, .crash: false
        }
    }
}
