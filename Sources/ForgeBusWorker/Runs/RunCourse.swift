import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// How far a run has come: what is needed to go on with it behind its last completed action.
struct RunCourse {
    /// The actions whose conditions held, in their order; nil while the conditions have not been asked, or are being asked.
    var eligible: [String]?
    /// How those ended that have, in the same order.
    private(set) var actions: [ActionOutcome] = []
    /// What the context holds beyond the seeds, in the order of the keys; kept only where a store keeps it.
    private(set) var values: [ProgressRecord.Value] = []
    /// The key of a value that has no form in which it could be kept.
    private(set) var unkept: String?
    /// Which attempt at the action under way this is, from 1, crashes not counted.
    var attempt = 1
    /// How often a worker died while the action under way was executing.
    var crashes = 0
    /// How many attempts at the action under way there were before a redrive.
    private(set) var earlierAttempts = 0
    /// How many attempts at each action that has not ended may have been made and not kept, by workers that ended meanwhile.
    private(set) var unrecorded = 0
    /// The highest number that an attempt at an action had which has ended.
    private(set) var highestAttempt = 0
    /// Why the last attempt at the action under way failed, where there was one.
    var failure: String?

    /// How often a worker may die during one action before its run is parked.
    static let mostCrashes = 3

    init() {}

    /// What a store kept; of a run that holds what could not be kept, only how often workers died with it.
    init(_ record: ProgressRecord) {
        (crashes, unrecorded, highestAttempt) = (record.crashes, record.unrecorded, record.highestAttempt)
        guard record.unkept == nil else {
            // It begins again: its actions may have had any number up to the highest.
            unrecorded = max(highestAttempt, record.attempt + record.earlierAttempts + unrecorded)
            return
        }
        earlierAttempts = record.earlierAttempts
        eligible = record.eligible
        actions = record.actions
        values = record.values
        attempt = record.attempt
    }

    /// The action that is to be taken up next; nil while that is not known.
    var next: String? {
        guard let eligible, actions.count < eligible.count else { return nil }
        return eligible[actions.count]
    }

    /// Whether all its actions have ended.
    var isThrough: Bool { eligible != nil && next == nil }

    /// The conditions were asked, and left these values.
    mutating func begin(with eligible: [String], _ values: RunValues) {
        self.eligible = eligible
        take(values)
    }

    /// An action ended: the next one is taken up for the first time.
    mutating func end(_ outcome: ActionOutcome, leaving values: RunValues = RunValues()) {
        take(values)
        guard !actions.contains(where: { $0.action == outcome.action }) else { return }
        actions.append(outcome)
        highestAttempt = max(highestAttempt, attempt + earlierAttempts + unrecorded)
        (attempt, crashes, earlierAttempts, failure) = (1, 0, 0, nil)
    }

    /// A worker ended while the run was executing: further attempts are numbered behind those that it may have made.
    ///
    /// It may have been further than was kept, so that counts for each action that has not ended. Not kept are first
    /// attempts only: another one is not made before it is kept that there is one.
    mutating func breakOff() { unrecorded += 1 }

    /// The attempts at the action under way are over; those after a redrive are counted anew.
    mutating func park() {
        earlierAttempts += attempt
        attempt = 1
    }

    /// The context changed.
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

    /// The results by action, as a resumed run begins with them.
    var results: [ActionID: ActionResult] {
        Dictionary(uniqueKeysWithValues: actions.map { (ActionID($0.action), ActionResult($0.result)) })
    }
}

extension ActionResult {
    /// The result that the protocol's words tell.
    init(_ result: ActionOutcome.Result) {
        switch result {
        case .completed: self = .completed
        case .skipped: self = .skipped
        case .failed(let reason): self = .failed(reason)
        }
    }
}

extension RunCourse {
    /// How the action came out at which the run rested or was broken off, if it came out at that age: it began when the one
    /// before it ended.
    func outcome(_ action: String, _ result: ActionOutcome.Result, at age: Duration) -> ActionOutcome {
        if result == .skipped { return ActionOutcome(action: action, result: result, start: age, duration: .zero) }
        let start = min(age, actions.map { $0.start + $0.duration }.max() ?? .zero)
        return ActionOutcome(action: action, result: result, start: start, duration: age - start)
    }

    /// All actions, if nothing of the run executes from now on: the one under way failed, and those behind it are skipped.
    ///
    /// - Parameters:
    ///   - reason: Why the one under way failed, where it had not before.
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

    /// All actions as they ended: those known before as they were told then, the others as they are reported now.
    ///
    /// One that failed and was to be tried again when the run was stopped was executed all the same, and is not skipped.
    func completed(by reported: [ActionOutcome], isStopped: Bool) -> [ActionOutcome] {
        let next = next
        let failure = isStopped ? failure : nil
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
