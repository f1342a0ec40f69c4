import ForgeOrchestrator
import Testing

/// One row for each event in each phase: what the debt is then, and what its owner has to do.
@Suite("The debt of a monitor")
struct MonitorDebtTests {
    enum Event: CaseIterable {
        case owed, welcomed, cycleStarted, cycleFinished, excluded, lifted, emptied
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let start: MonitorDebt
        let event: Event
        let phase: MonitorDebt.Phase
        let action: MonitorDebt.Action

        var testDescription: String {
            "\(start.phase)\(start.isExcluded ? ", excluded" : ""): \(event) → \(phase), \(action)"
        }
    }

    private static let idle = MonitorDebt()
    private static let ordered = idle.after(.owed)
    private static let running = ordered.after(.cycleStarted)
    private static let runningAndOwed = running.after(.owed)
    private static let idleExcluded = idle.after(.excluded)
    private static let kept = idleExcluded.after(.owed)
    private static let orderedExcluded = ordered.after(.excluded)
    private static let runningExcluded = running.after(.excluded)
    private static let runningAndOwedExcluded = runningAndOwed.after(.excluded)

    static let rows: [Row] =
        table(
            idle,
            [
                .owed: (.ordered, .startCycle), .welcomed: (.running, .runCycle), .cycleStarted: (.idle, .none),
                .cycleFinished: (.idle, .none), .excluded: (.idle, .none), .lifted: (.idle, .none),
                .emptied: (.idle, .none),
            ]
        )
        + table(
            ordered,
            [
                .owed: (.ordered, .none), .welcomed: (.ordered, .none), .cycleStarted: (.running, .runCycle),
                .cycleFinished: (.ordered, .none), .excluded: (.ordered, .none), .lifted: (.ordered, .none),
                .emptied: (.idle, .stopWaiting),
            ]
        )
        + table(
            running,
            [
                .owed: (.runningAndOwed, .none), .welcomed: (.running, .none), .cycleStarted: (.running, .none),
                .cycleFinished: (.idle, .none), .excluded: (.running, .none), .lifted: (.running, .none),
                .emptied: (.running, .none),
            ]
        )
        + table(
            runningAndOwed,
            [
                .owed: (.runningAndOwed, .none), .welcomed: (.runningAndOwed, .none),
                .cycleStarted: (.runningAndOwed, .none), .cycleFinished: (.ordered, .startCycle),
                .excluded: (.runningAndOwed, .none), .lifted: (.runningAndOwed, .none),
                .emptied: (.running, .stopWaiting),
            ]
        )
        + table(
            idleExcluded,
            [
                .owed: (.kept, .none), .welcomed: (.idle, .none), .cycleStarted: (.idle, .none),
                .cycleFinished: (.idle, .none), .excluded: (.idle, .none), .lifted: (.idle, .none),
                .emptied: (.idle, .none),
            ]
        )
        + table(
            kept,
            [
                .owed: (.kept, .none), .welcomed: (.kept, .none), .cycleStarted: (.kept, .none),
                .cycleFinished: (.kept, .none), .excluded: (.kept, .none), .lifted: (.ordered, .startCycle),
                .emptied: (.idle, .stopWaiting),
            ]
        )
        + table(
            orderedExcluded,
            [
                .owed: (.ordered, .none), .welcomed: (.ordered, .none), .cycleStarted: (.kept, .none),
                .cycleFinished: (.ordered, .none), .excluded: (.ordered, .none), .lifted: (.ordered, .none),
                .emptied: (.idle, .stopWaiting),
            ]
        )
        + table(
            runningExcluded,
            [
                .owed: (.runningAndOwed, .none), .welcomed: (.running, .none), .cycleStarted: (.running, .none),
                .cycleFinished: (.idle, .none), .excluded: (.running, .none), .lifted: (.running, .none),
                .emptied: (.running, .none),
            ]
        )
        + table(
            runningAndOwedExcluded,
            [
                .owed: (.runningAndOwed, .none), .welcomed: (.runningAndOwed, .none),
                .cycleStarted: (.runningAndOwed, .none), .cycleFinished: (.kept, .none),
                .excluded: (.runningAndOwed, .none), .lifted: (.runningAndOwed, .none),
                .emptied: (.running, .stopWaiting),
            ]
        )

    private static func table(
        _ start: MonitorDebt,
        _ rows: [Event: (MonitorDebt.Phase, MonitorDebt.Action)]
    ) -> [Row] {
        Event.allCases.compactMap { event in
            rows[event].map { Row(start: start, event: event, phase: $0.0, action: $0.1) }
        }
    }

    @Test("answers each event in each phase", arguments: rows)
    func row(_ row: Row) {
        var debt = row.start
        let action = debt.apply(row.event)
        #expect(debt.phase == row.phase)
        #expect(action == row.action)
        switch row.event {
        case .excluded: #expect(debt.isExcluded)
        case .lifted: #expect(!debt.isExcluded)
        case .owed, .welcomed, .cycleStarted, .cycleFinished, .emptied:
            #expect(debt.isExcluded == row.start.isExcluded)
        }
    }

    @Test("has a row for every event in every phase")
    func completeness() {
        #expect(Self.rows.count == 9 * Event.allCases.count)
        #expect(Set(Self.rows.map(\.start.phase)) == Set(MonitorDebt.Phase.allCases))
    }
}

extension MonitorDebt {
    /// The same debt after an event that is there to get it into a phase.
    func after(_ event: MonitorDebtTests.Event) -> MonitorDebt {
        var debt = self
        _ = debt.apply(event)
        return debt
    }

    mutating func apply(_ event: MonitorDebtTests.Event) -> Action {
        switch event {
        case .owed: owed()
        case .welcomed: welcomed()
        case .cycleStarted: cycleStarted()
        case .cycleFinished: cycleFinished()
        case .excluded: excluded()
        case .lifted: lifted()
        case .emptied: emptied()
        }
    }
}
