/// What a monitor owes to those who asked for a cycle.
///
/// Pure: no clock and no I/O; the caller runs the cycles.
///
/// ```
///            owed                cycleStarted                 owed
///   idle ───────────▶ ordered ─────────────────▶ running ───────────▶ runningAndOwed
///    ▲ ▲                 │ ▲                       │                       │
///    │ │         emptied │ └── cycleFinished ──────┼───────────────────────┘
///    │ └─────────────────┘                         │
///    └──────────────────────── cycleFinished ──────┘
/// ```
/// While the monitor is excluded no cycle is ordered; what is owed stays in `kept` until the exclusion lifts.
package struct MonitorDebt: Equatable, Sendable {
    /// Where the monitor stands.
    package enum Phase: Equatable, Sendable, CaseIterable {
        /// Nothing runs and nothing is owed.
        case idle
        /// A cycle is owed, and the exclusion holds it back.
        case kept
        /// A cycle was ordered and has not begun: whatever is asked now is covered by it.
        case ordered
        /// A cycle runs: whatever is asked now is not covered by it.
        case running
        /// A cycle runs and one more is owed, however often it was asked for.
        case runningAndOwed
    }

    /// What the caller has to do next.
    package enum Action: Equatable, Sendable {
        /// Nothing.
        case none
        /// Begin a cycle soon, and say ``MonitorDebt/cycleStarted()`` in the moment before its conditions are asked.
        case startCycle
        /// Run the cycle now and say ``MonitorDebt/cycleFinished()`` at its end.
        case runCycle
        /// Tell everyone whose cycle has not begun that there will be none.
        case stopWaiting
    }

    /// Where the monitor stands.
    package private(set) var phase = Phase.idle
    /// Whether cycles are held back.
    package private(set) var isExcluded = false

    /// A monitor that owes nothing.
    package init() {}

    /// Somebody asked for a cycle that starts after now.
    package mutating func owed() -> Action {
        switch phase {
        case .idle: return orderUnlessExcluded()
        case .running:
            phase = .runningAndOwed
            return .none
        case .kept, .ordered, .runningAndOwed: return .none
        }
    }

    /// A cycle would be welcome now, and is not owed: a tick, or a plain re-evaluation.
    ///
    /// It is dropped when a cycle is ordered, which is as good, or runs, and while cycles are held back.
    package mutating func welcomed() -> Action {
        guard phase == .idle, !isExcluded else { return .none }
        phase = .running
        return .runCycle
    }

    /// An ordered cycle is about to ask its conditions; `.none` if it must not.
    package mutating func cycleStarted() -> Action {
        switch phase {
        case .ordered where isExcluded:
            phase = .kept
            return .none
        case .ordered:
            phase = .running
            return .runCycle
        // The order was overtaken: the monitor was emptied, or an earlier order has begun.
        case .idle, .kept, .running, .runningAndOwed: return .none
        }
    }

    /// The cycle is over.
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

    /// Cycles are held back from now on; one that runs goes on.
    package mutating func excluded() -> Action {
        isExcluded = true
        return .none
    }

    /// Cycles are no longer held back.
    package mutating func lifted() -> Action {
        isExcluded = false
        return phase == .kept ? orderUnlessExcluded() : .none
    }

    /// The monitor has no actions any more: what is owed will not happen.
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
