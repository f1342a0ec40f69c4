import ForgeBusProtocol
import ForgeBusStore
import ZeroMQ

/// One unfinished run, as the core sees it.
struct Run {
    enum State {
        /// It waits for its first slot.
        case queued
        /// Its actions execute, or wait.
        case running
        /// It is to end as this, and its action has not returned yet.
        case stopping(RunResult.State, reason: String)
    }

    /// What a run can wait for; while it does, it holds no slot.
    enum Wait: Hashable {
        /// A signal or gate is to be decided.
        case signal(SignalID)
        /// An action that failed is tried again when its pause is over, in milliseconds since 1970.
        case retry(action: String, due: Int64)
        /// An action failed for good, for this reason; somebody has to redrive the run.
        case redrive(action: String, reason: String)
    }

    /// Where a run rests of which nothing executes: it is gone on with at this action.
    struct Rest {
        let action: String
        let waiter: WaiterID
        /// Why the action failed that is to be tried again; nil at a gate.
        let failure: String?
    }

    /// Somebody who gets the run's answers.
    struct Listener {
        /// Which of the run's listeners it is: whoever asks again under the same id is another one.
        var number = 0
        let caller: Caller
        /// The request that is answered: the one that began the run, or one that attached to it.
        let request: RequestID
        let isDetached: Bool
        let wantsProgress: Bool
        let principal: AccessPolicy.Principal
        /// Whether it asked about the run, and not for it: then it can be told how the run stands, and no more.
        var hasAttached = false
    }

    let terms: RunTerms
    /// The pipeline's definition when the run was taken.
    var definition: Fingerprint
    /// When it got its first slot, in milliseconds since 1970; nil while it has not.
    var began: Int64?
    /// What the context begins with: the seeds as Swift values, defaults filled in.
    ///
    /// Let go when it has begun.
    var values: [String: any Sendable]
    /// Whether the run tells the core of every transition.
    var tellsTransitions: Bool
    /// When its deadline passes; nil where it has none, or while it is parked.
    var deadline: Moment?
    /// How often its deadline was set anew: moments that were noted for an earlier one mean nothing.
    var redrives = 0
    /// What is left of the deadline while the run is parked.
    var remaining: Duration?
    var state = State.queued
    var holdsSlot = false
    /// Whether a wait of it is over, and it waits for a slot to go on with.
    var isRejoining = false
    /// Whether it counts as one that executes or is to begin: while it waits it counts as paused.
    var isActive = true
    var listeners: [Listener]
    /// The number of the youngest listener.
    private(set) var lastListener = 0
    var changesTold = 0
    /// What it waits for, by waiter.
    var waits: [WaiterID: Wait] = [:]
    /// Whether an earlier worker took it up, and this one has not yet: its context is made of what was kept.
    var isRestored = false
    /// Where it rests; nil while a task of it executes, and before it has begun.
    var rest: Rest?
    /// Whether nothing of it executed when it was stopped.
    var wasStoppedAtRest = false
    /// How far it has come.
    var course = RunCourse()
    /// Whether it went on since the store was told how far it has come.
    var isAdvanced = false
    /// Whether the store keeps how far it has come.
    var hasProgressKept = false

    var id: RunID { terms.id }
    var request: RequestKey { terms.request }
    var pipeline: PipelineName { terms.pipeline }
    var principal: String { terms.principal }

    /// What stands now.
    var standing: StateReport.State {
        switch state {
        case .queued: .queued
        case .stopping: .stopping
        case .running:
            if isActive {
                .running
            } else if isRejoining {
                .queued
            } else if isParked {
                .parked
            } else {
                waits.values.contains { if case .signal = $0 { true } else { false } } ? .waiting : .retrying
            }
        }
    }

    /// Whether it waits for somebody to redrive it.
    var isParked: Bool { parkedWaiter != nil }

    /// Whether it is to end before its actions are through.
    var isStopping: Bool { if case .stopping = state { true } else { false } }

    /// What it ends as, where that is certain: no action of it executes that could still return.
    var certainEnd: StateReport.State? {
        guard wasStoppedAtRest, case .stopping(let end, _) = state else { return nil }
        return StateReport.State(end)
    }

    /// The wait that a redrive ends.
    var parkedWaiter: WaiterID? {
        waits.first { if case .redrive = $0.value { true } else { false } }?.key
    }
}

extension Run {
    /// It has its first slot: it is begun with its values, which it lets go.
    mutating func begin(at now: Moment) -> RunStart {
        (state, holdsSlot, began) = (.running, true, now.unixMilliseconds)
        return RunStart(
            run: id,
            pipeline: pipeline,
            values: exchange(&values, with: [:]),
            tellsTransitions: tellsTransitions
        )
    }

    /// Somebody gets the answers from now on; of too many, one makes room.
    ///
    /// That is one that gets none anyway, else the oldest that attached: whoever asked for the run counts on its result, and
    /// would wait for it for ever.
    ///
    /// - Returns: The listener's number, which no other listener of the run ever has, and who gets the answers no longer.
    mutating func attach(_ listener: Listener, atMost capacity: Int) -> (number: Int, letGo: Listener?) {
        listeners.removeAll { $0.caller == listener.caller && $0.request == listener.request }
        var letGo: Listener?
        if listeners.count >= max(1, capacity) {
            let place = listeners.firstIndex(where: \.isDetached) ?? listeners.firstIndex(where: \.hasAttached)
            letGo = listeners.remove(at: place ?? listeners.startIndex)
        }
        lastListener += 1
        var listener = listener
        listener.number = lastListener
        listeners.append(listener)
        return (lastListener, letGo)
    }

    /// Numbers a change of the run, and says who is told of it.
    mutating func numberNextChange(toldToAll: Bool) -> (number: Int, audience: [Listener]) {
        changesTold += 1
        return (changesTold, listeners.filter { !$0.isDetached && (toldToAll || $0.wantsProgress) })
    }

    /// The listener of that number, if it still gets the answers.
    func listener(_ number: Int) -> Listener? { listeners.first { $0.number == number } }

    /// The listener of that number does not get the answers any more.
    mutating func detach(_ number: Int) { listeners.removeAll { $0.number == number } }

    /// Whether this is the deadline that holds, and not one from before the run was parked.
    func hasDeadline(_ redrives: Int) -> Bool { deadline != nil && self.redrives == redrives }
}
