/// Whether a monitor owes a cycle, which means that callers requested a cycle that has not started yet.
///
/// The type has no clock and does no I/O; the caller runs the cycles. To *order* a cycle is to return
/// ``Action/startCycle``: the caller then creates a task that begins the cycle.
///
/// ```
///            owed                cycleStarted                 owed
///   idle ───────────▶ ordered ─────────────────▶ running ───────────▶ runningAndOwed
///    ▲ ▲                 │ ▲                       │                       │
///    │ │         emptied │ └── cycleFinished ──────┼───────────────────────┘
///    │ └─────────────────┘                         │
///    └──────────────────────── cycleFinished ──────┘
/// ```
/// During an exclusion, no further cycle is ordered. The phase is `kept` while the exclusion keeps an owed cycle from
/// starting; the end of the exclusion orders the cycle.
///
/// A monitor is excluded while an excluded screen shows, and while its host has paused it.
package struct MonitorDebt: Equatable, Sendable {
    /// Whether a cycle is running, and whether another one is owed.
    package enum Phase: Equatable, Sendable, CaseIterable {
        /// No cycle is running and none is owed.
        case idle
        /// A cycle is owed, but cannot start because the monitor is excluded.
        case kept
        /// A cycle was ordered and has not begun; this cycle also serves every request that is made now.
        case ordered
        /// A cycle is running; the cycle does not serve requests that are made now.
        case running
        /// A cycle is running, and exactly one further cycle is owed to one or more requests.
        case runningAndOwed
    }

    /// What the caller has to do next.
    package enum Action: Equatable, Sendable {
        /// The caller has to do nothing.
        case none
        /// Begin a cycle soon, and call ``MonitorDebt/cycleStarted()`` immediately before its conditions are evaluated.
        case startCycle
        /// Run the cycle now and call ``MonitorDebt/cycleFinished()`` at its end.
        case runCycle
        /// Resume all callers whose cycle has not begun; no cycle will serve them.
        case stopWaiting
    }

    /// Whether a cycle is running, and whether another one is owed.
    package private(set) var phase = Phase.idle
    /// Whether an exclusion keeps cycles from starting.
    package private(set) var isExcluded = false

    /// Makes the state of a monitor that owes no cycle.
    package init() {}

    /// Records a request for a cycle that starts after this call.
    package mutating func owed() -> Action {
        switch phase {
        case .idle: return orderUnlessExcluded()
        case .running:
            phase = .runningAndOwed
            return .none
        case .kept, .ordered, .runningAndOwed: return .none
        }
    }

    /// Starts a cycle for a tick or a `reevaluate()` call, if that is possible now.
    ///
    /// Does nothing if a cycle is ordered or running, or during an exclusion. A tick or a `reevaluate()`
    /// call never makes a cycle owed.
    package mutating func welcomed() -> Action {
        guard phase == .idle, !isExcluded else { return .none }
        phase = .running
        return .runCycle
    }

    /// Starts an ordered cycle, immediately before the caller evaluates the conditions; returns `.none` if the cycle
    /// must not start.
    package mutating func cycleStarted() -> Action {
        switch phase {
        case .ordered where isExcluded:
            phase = .kept
            return .none
        case .ordered:
            phase = .running
            return .runCycle
        // This cycle is no longer owed: all actions were removed, or the cycle has already begun.
        case .idle, .kept, .running, .runningAndOwed: return .none
        }
    }

    /// Ends the running cycle, and orders the next cycle if one is owed.
    ///
    /// During an exclusion, the owed cycle waits for the end of the exclusion.
    package mutating func cycleFinished() -> Action {
        switch phase {
        case .running:
            phase = .idle
            return .none
        case .runningAndOwed: return orderUnlessExcluded()
        // There was no cycle to finish.
        case .idle, .kept, .ordered: return .none
        }
    }

    /// Begins an exclusion: no cycle starts until ``lifted()``; a running cycle continues.
    package mutating func excluded() -> Action {
        isExcluded = true
        return .none
    }

    /// Ends the exclusion, and orders the owed cycle that the exclusion has kept from starting, if there is one.
    package mutating func lifted() -> Action {
        isExcluded = false
        return phase == .kept ? orderUnlessExcluded() : .none
    }

    /// Drops the owed cycle, because all actions of the monitor were removed.
    package mutating func emptied() -> Action {
        switch phase {
        case .idle, .running: return .none
        case .kept, .ordered: phase = .idle
        case .runningAndOwed: phase = .running
        }
        return .stopWaiting
    }

    private mutating func orderUnlessExcluded() -> Action {
        phase = isExcluded ? .kept : .ordered
        return isExcluded ? .none : .startCycle
    }
}
