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
            for state in BookState.allCases
            where kind.canMeet(state) && !kind.rarelyMeets(state) && self[kind, state] < least {
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
        // The first two change no book; RequestScheduleTests and CoreEventRunTests see the others.
        let others: [Other] = [.lookedUp, .printed, .requesting, .runRequested]
        if others.contains(where: { self == .other($0) }) { return false }
        return switch state {
        // Nothing runs before the worker is ready but what was over when it was taken over; and it is told so once.
        case .phaseStarting: !tellsOfWork && self != .other(.drainTimeEnded) || self == .other(.runEnded)
        case .phaseReady: self != .other(.ready) && self != .other(.drainTimeEnded)
        case .phaseDraining: true
        case .laneIdle: self != .other(.cycleEnded)
        case .laneOwed, .laneHeldBack: self != .other(.cycleEnded) && self != .other(.ready)
        case .laneRunning, .laneRunningAndOwed, .laneOverdue, .laneOverdueAndOwed: self != .other(.ready)
        case .laneExcluded: true
        case .ledgerUnknown: true
        // What the store is having done counts before it is kept.
        case .ledgerFull: self != .other(.performed)
        case .ledgerUnfinished: description == "run" || !isLedgered
        case .ledgerFinished: true
        case .ledgerConflict: isLedgered
        case .queueEmpty, .queueTaken: true
        case .queueFree: self != .other(.ready)
        case .queueCrowded: true
        case .gateNone, .gateWaiting, .gateEarly, .gateDecided, .gateExpired, .gateClosed: true
        }
    }

    /// Whether the event can come in the state, but too rarely to be counted on.
    ///
    /// A queue is crowded when its worker is ready if all of its runs waited for a slot, or had one, at the death.
    fileprivate func rarelyMeets(_ state: BookState) -> Bool { self == .other(.ready) && state == .queueCrowded }

    /// Whether it tells of something that was begun.
    private var tellsOfWork: Bool {
        guard case .other(let other) = self else { return false }
        return [.transition, .runEnded, .restingAtGate, .failing, .abandoned, .cycleEnded].contains(other)
    }
}
