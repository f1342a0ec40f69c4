import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// The progress of a run, which is enough to resume the run after its last ended action.
struct RunCourse {
    /// The ids of the actions whose conditions held, in the order in which they execute.
    ///
    /// The list is nil until all conditions are evaluated.
    var eligible: [String]?
    /// The outcomes of the ended actions, in the order of ``eligible``.
    private(set) var actions: [ActionOutcome] = []
    /// The context's values beyond the seeds, sorted by key; empty if the worker has no store.
    private(set) var values: [ProgressRecord.Value] = []
    /// The key of a context value that cannot be stored, or nil.
    private(set) var unkept: String?
    /// The number of the attempt at the current action, from 1.
    ///
    /// Attempts that ended with the worker's death do not count.
    var attempt = 1
    /// How many times a worker died while the current action was executing.
    var crashes = 0
    /// The number of attempts at the current action before the last redrive.
    private(set) var earlierAttempts = 0
    /// The number of attempts at each unfinished action that earlier workers may have made without recording them.
    private(set) var unrecorded = 0
    /// The highest attempt number of the ended actions; 0 if no action has ended.
    private(set) var highestAttempt = 0
    /// Why the last attempt at the current action failed; nil if no attempt at it has failed.
    var failure: String?

    /// How many times a worker may die during one action; then the run is parked.
    static let mostCrashes = 3

    init() {}

    /// Restores a stored course.
    ///
    /// If a value could not be stored, the run begins again: only the counts of attempts and crashes are restored.
    init(_ record: ProgressRecord) {
        (crashes, unrecorded, highestAttempt) = (record.crashes, record.unrecorded, record.highestAttempt)
        guard record.unkept == nil else {
            // The run begins again, and each action may already have had any attempt number up to the highest.
            unrecorded = max(highestAttempt, record.attempt + record.earlierAttempts + unrecorded)
            return
        }
        earlierAttempts = record.earlierAttempts
        eligible = record.eligible
        actions = record.actions
        values = record.values
        attempt = record.attempt
    }

    /// The next action; nil if the conditions are not all evaluated, or all actions have ended.
    var next: String? {
        guard let eligible, actions.count < eligible.count else { return nil }
        return eligible[actions.count]
    }

    /// Whether all actions have ended.
    var isThrough: Bool { eligible != nil && next == nil }

    /// Records that all conditions were evaluated, with the values that they set.
    mutating func begin(with eligible: [String], _ values: RunValues) {
        self.eligible = eligible
        take(values)
    }

    /// Records the end of the current action; the counts of attempts begin again for the next action.
    mutating func end(_ outcome: ActionOutcome, leaving values: RunValues = RunValues()) {
        take(values)
        guard !actions.contains(where: { $0.action == outcome.action }) else { return }
        actions.append(outcome)
        highestAttempt = max(highestAttempt, attempt + earlierAttempts + unrecorded)
        (attempt, crashes, earlierAttempts, failure) = (1, 0, 0, nil)
    }

    /// Counts one unrecorded attempt, for instance because a worker ended while it was executing the run.
    ///
    /// So later attempts get higher numbers than all attempts that this worker may have made at an action of the run.
    ///
    /// The attempt counts for each unfinished action, because the worker may have executed more actions than the store
    /// knows. Only first attempts may be missing in the store: a further attempt begins only after it is stored.
    mutating func breakOff() { unrecorded += 1 }

    /// Records that the current action gets no more attempts; after a redrive, attempts count from 1 again.
    mutating func park() {
        earlierAttempts += attempt
        attempt = 1
    }

    /// Records changes of the context.
    mutating func take(_ changes: RunValues) {
        if let key = changes.unkept { unkept = key }
        for value in changes.values {
            let index = values.firstIndex { $0.key >= value.key } ?? values.endIndex
            if index < values.endIndex, values[index].key == value.key {
                values[index] = value
            } else {
                values.insert(value, at: index)
            }
            if unkept == value.key { unkept = nil }
        }
    }

    /// The results of the ended actions; a resumed run begins with them.
    var results: [ActionID: ActionResult] {
        Dictionary(uniqueKeysWithValues: actions.map { (ActionID($0.action), ActionResult($0.result)) })
    }
}

extension ActionResult {
    /// Converts a result of the protocol to a result of the library.
    init(_ result: ActionOutcome.Result) {
        switch result {
        case .completed: self = .completed
        case .skipped: self = .skipped
        case .failed(let reason): self = .failed(reason)
        }
    }
}

extension RunCourse {
    /// Makes the outcome of the action at which the run was suspended or interrupted.
    ///
    /// The action counts as begun when the action before it ended.
    ///
    /// - Parameters:
    ///   - action: The id of the action.
    ///   - result: The result of the action.
    ///   - age: The age of the run when the action ended.
    /// - Returns: The outcome; a skipped action takes no time.
    func outcome(_ action: String, _ result: ActionOutcome.Result, at age: Duration) -> ActionOutcome {
        if result == .skipped { return ActionOutcome(action: action, result: result, start: age, duration: .zero) }
        let start = min(age, actions.map { $0.start + $0.duration }.max() ?? .zero)
        return ActionOutcome(action: action, result: result, start: start, duration: age - start)
    }

    /// Makes the outcomes of all eligible actions of a run that no longer executes.
    ///
    /// The current action counts as failed, and the actions after it as skipped.
    ///
    /// - Parameters:
    ///   - reason: Why the current action failed; used only if no attempt at it has failed before.
    ///   - age: How long ago the run began.
    /// - Returns: An outcome for each eligible action.
    func actions(brokenOff reason: String, at age: Duration) -> [ActionOutcome] {
        let failed = ActionOutcome.Result.failed(failure ?? reason)
        let left = (eligible ?? []).dropFirst(actions.count)
        return actions
            + left.enumerated().map { place, action in
                outcome(action, place == 0 ? failed : .skipped, at: age)
            }
    }

    /// Merges the outcomes that the course knows with those in `reported`; the course's outcomes take precedence.
    ///
    /// An action of which an attempt was made before the run was stopped counts as failed, not as skipped: it waited for
    /// another attempt, or may have been in progress when an earlier worker died. If that worker died before the conditions
    /// were stored, that is the first action.
    func completed(by reported: [ActionOutcome], isStopped: Bool) -> [ActionOutcome] {
        let next = eligible == nil ? reported.first?.action : next
        let failure = isStopped ? failure ?? (crashes > 0 ? Errors.actionBrokenOff : nil) : nil
        if actions.isEmpty, failure == nil { return reported }
        let known = Dictionary(uniqueKeysWithValues: actions.map { ($0.action, $0) })
        return reported.map { outcome in
            if let known = known[outcome.action] { return known }
            guard let failure, outcome.action == next, outcome.result == .skipped else { return outcome }
            var failed = outcome
            failed.result = .failed(failure)
            return failed
        }
    }
}
