import ForgeBusFleet
import ForgeBusProtocol
import ForgeLocks

/// The roll-outs of a pipeline over a fleet that are under way, by their ids.
///
/// A roll-out continues when its sender leaves. If the gateway stops, the same request gets the outcome of the same
/// runs, and continues with the next batch. One lock protects the roll-outs.
final class Rollouts: Sendable {
    /// What is run where, and for whom.
    struct Plan: Hashable, Sendable {
        let principal: Name?
        let run: RunRequest
        let choice: FleetChoice
    }

    private let fleet: LiveFleet
    private let rollouts = Guarded<[RequestID: Rollout]>([:])
    private let owners = Guarded(RequestOwners())

    /// How many roll-outs may be under way at a time.
    private static let limit = 64

    init(_ fleet: LiveFleet) { self.fleet = fleet }

    /// Begins a roll-out; if one with the same id and the same plan is under way, it is this one.
    ///
    /// - Throws: `BusError` with code `id_conflict` for another plan with the id, also of another principal, or with
    ///   code `busy`.
    func begin(_ id: RequestID, _ plan: Plan) throws(BusError) -> Rollout {
        // Answers name only the id of a request, so the answer to one principal must not reach another.
        guard owners.withLock({ $0.admits(Request(.hello, id: id, as: plan.principal)) }) else {
            throw Errors.sharedID(id)
        }
        return try rollouts.withLock { rollouts throws(BusError) in
            if let rollout = rollouts[id] {
                guard rollout.plan == plan else { throw Errors.otherRollout(id) }
                return rollout
            }
            guard rollouts.count < Self.limit else { throw Errors.tooManyRollouts }
            let rollout = Rollout(id, plan, fleet) { [weak self] in
                _ = self?.rollouts.withLock { $0.removeValue(forKey: id) }
            }
            rollouts[id] = rollout
            return rollout
        }
    }

    /// Stops asking; the runs that have begun continue.
    func stop() { for rollout in rollouts.withLock({ Array($0.values) }) { rollout.stop() } }
}

/// One roll-out.
final class Rollout: Sendable {
    let plan: Rollouts.Plan
    private let task: Task<FleetReport, Never>
    private let board: Board

    /// The latest lines of each worker, and who follows them; one lock protects both.
    private final class Board: Sendable {
        private let state = Guarded<(lines: [Name: [FleetReport.Line]], listeners: [RequestID: FleetClient.Progress])>(
            ([:], [:])
        )

        func add(_ lines: [FleetReport.Line]) {
            let listeners = state.withLock { state in
                if let worker = lines.first?.worker { state.lines[worker] = lines }
                return Array(state.listeners.values)
            }
            for listener in listeners { listener(lines) }
        }

        func follow(_ id: RequestID, _ listener: @escaping FleetClient.Progress) {
            let known = state.withLock { state in
                state.listeners[id] = listener
                return Array(state.lines.values)
            }
            for lines in known { listener(lines) }
        }

        func leave(_ id: RequestID) { _ = state.withLock { $0.listeners.removeValue(forKey: id) } }
    }

    init(_ id: RequestID, _ plan: Rollouts.Plan, _ fleet: LiveFleet, onEnd: @escaping @Sendable () -> Void) {
        let board = Board()
        (self.plan, self.board) = (plan, board)
        // No child of the request: the roll-out continues when its sender leaves.
        task = Task {
            defer { onEnd() }
            let (asker, choice) = (fleet.asker(plan.principal), plan.choice)
            var selection = choice.selection
            if let failing = choice.failing {
                let monitors = MonitorChoice.named((try? NamePattern(failing.text)).map { [$0] } ?? [])
                let report = await fleet.monitors(monitors, since: nil, on: selection, for: plan.principal)
                let bad = report.lines.filter { $0.state.kind == .bad && $0.subject == failing.text }
                selection = .names(Set(bad.map(\.worker)))
            }
            return await asker.run(
                plan.run,
                on: selection,
                batches: choice.batches,
                stopAfter: choice.stopAfter,
                id: id.text,
                progress: board.add
            )
        }
    }

    /// The report at the end.
    var report: FleetReport { get async { await task.value } }

    /// Tells what is known of each worker, then each change; returns the report at the end.
    func follow(_ progress: @escaping FleetClient.Progress) async -> FleetReport {
        let id = RequestID.random()
        board.follow(id, progress)
        defer { board.leave(id) }
        return await task.value
    }

    func stop() { task.cancel() }
}
