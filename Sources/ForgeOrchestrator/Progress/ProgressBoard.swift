import ForgeLocks
import Observation

/// Shows the progress of one orchestrator's evaluations: as observable properties, and as events.
///
/// A read always sees the latest state, on every thread. Observers get their notices of changes on the main actor, and
/// an evaluation does not wait for these notices. At most one job that delivers notices is pending; no job is pending
/// if no property was read since the last notice.
final class ProgressBoard: Observable, Sendable {
    /// The progress, and the notices that are due; the mutex guards this state.
    private struct State {
        var progress = OrchestratorProgress()
        /// The fields that were read since the last notice about them; observers must be notified of their next change.
        var read = OrchestratorProgress.Fields.none
        /// The fields that changed after they were read, and about which no notice was delivered yet.
        var changed = OrchestratorProgress.Fields.none
        var isNoticePending = false
        var evaluation = 0

        /// Records changed fields; returns true if the caller has to schedule a notice.
        mutating func note(_ fields: OrchestratorProgress.Fields, schedules: Bool) -> Bool {
            changed.formUnion(fields.intersection(read))
            guard schedules, !changed.isEmpty, !isNoticePending else { return false }
            isNoticePending = true
            return true
        }

        mutating func takeDue() -> OrchestratorProgress.Fields {
            defer { changed = .none }
            read.subtract(changed)
            return changed
        }
    }

    private let state = Guarded(State())
    private let registrar = ObservationRegistrar()
    private let hub = EventHub()

    var isProcessing: Bool { read(.isProcessing, \.isProcessing) { $0.isProcessing } }
    var currentActionID: ActionID? { read(.currentActionID, \.currentActionID) { $0.currentActionId } }
    var eligibleCount: Int { read(.eligibleCount, \.eligibleCount) { $0.eligibleCount } }
    var completedCount: Int { read(.completedCount, \.completedCount) { $0.completedCount } }
    var results: [ActionResult] { read(.results, \.results) { $0.reports.map(\.result) } }
    var progress: OrchestratorProgress { read(.whole, \.progress) { $0 } }

    var events: OrchestratorEvents { hub.subscribe() }

    /// Runs `evaluate` as one evaluation and shows its progress; returns `nil` if another evaluation is running.
    ///
    /// Observers are notified of the beginning before `evaluate` is called, and of the end before this method returns.
    @MainActor func show<Result>(_ evaluate: () async -> Result) async -> Result? {
        guard begin(tellsItself: false) else { return nil }
        deliverNotices()
        let result = await evaluate()
        end(tellsItself: false)
        deliverNotices()
        return result
    }

    /// Records the beginning of an evaluation.
    ///
    /// - Parameters:
    ///   - number: The evaluation's number, from 1, if two callers may begin the same evaluation; nil if only one
    ///     caller may.
    ///   - tellsItself: Whether to schedule a notice; false if the caller calls `deliverNotices()`.
    /// - Returns: False if another evaluation is running, or if this one has already begun.
    @discardableResult func begin(_ number: Int? = nil, tellsItself: Bool = true) -> Bool {
        let began = state.withLock { state -> (evaluation: Int, isNoticeDue: Bool)? in
            guard !state.progress.isProcessing, number ?? .max > state.evaluation else { return nil }
            state.evaluation += 1
            return (state.evaluation, state.note(state.progress.begin(), schedules: tellsItself))
        }
        guard let began else { return false }
        if began.isNoticeDue { scheduleNotice() }
        hub.emit(.began(evaluation: began.evaluation))
        return true
    }

    /// Records the end of the evaluation.
    ///
    /// - Parameter tellsItself: Whether to schedule a notice; false if the caller calls `deliverNotices()`.
    func end(tellsItself: Bool = true) {
        let (evaluation, isNoticeDue) = state.withLock {
            ($0.evaluation, $0.note($0.progress.end(), schedules: tellsItself))
        }
        if isNoticeDue { scheduleNotice() }
        hub.emit(.ended(evaluation: evaluation))
    }
}

extension ProgressBoard: EvaluationListener {
    func eligible(_ ids: [ActionID]) {
        change { $0.eligible(ids.count) }
        hub.emit(.eligible(ids))
    }

    func started(_ id: ActionID) {
        change { $0.started(id) }
        hub.emit(.started(id))
    }

    func finished(_ report: ActionReport) {
        change { $0.finished(report) }
        hub.emit(.finished(report))
    }
}

extension ProgressBoard {
    /// Notifies the observers of all fields that changed since they were read.
    @MainActor func deliverNotices() {
        let due = state.withLock { $0.takeDue() }
        if due.contains(.isProcessing) { notify(\.isProcessing) }
        if due.contains(.currentActionID) { notify(\.currentActionID) }
        if due.contains(.eligibleCount) { notify(\.eligibleCount) }
        if due.contains(.completedCount) { notify(\.completedCount) }
        if due.contains(.results) { notify(\.results) }
        if due.contains(.whole) { notify(\.progress) }
    }

    private func change(_ step: (inout OrchestratorProgress) -> OrchestratorProgress.Fields) {
        let isNoticeDue = state.withLock { $0.note(step(&$0.progress), schedules: true) }
        if isNoticeDue { scheduleNotice() }
    }

    /// Schedules `deliverNotices()` in a task of its own, because the evaluation does not wait for the main actor.
    private func scheduleNotice() {
        Task { @MainActor in
            state.withLock { $0.isNoticePending = false }
            deliverNotices()
        }
    }

    private func notify<Value>(_ property: KeyPath<ProgressBoard, Value>) {
        registrar.withMutation(of: self, keyPath: property) {}
    }

    /// Reads a field and marks it as read under one lock, so that no change is missed.
    private func read<Value>(
        _ field: OrchestratorProgress.Fields,
        _ property: KeyPath<ProgressBoard, Value>,
        _ value: (OrchestratorProgress) -> Value
    ) -> Value {
        registrar.access(self, keyPath: property)
        return state.withLock { state in
            state.read.insert(field)
            return value(state.progress)
        }
    }
}
