import ForgeBusProtocol
import ForgeBusStore

extension RunMachine {
    /// The open waits of a run.
    struct Waits {
        /// Where the run is suspended; nil while a task executes.
        var rest: Rest?
        /// The signals that the code of the run's actions opened and waits for.
        var signals: [WaiterID: Name] = [:]

        /// The waiters in the order in which they began to wait, each with its signal or nil.
        var byWaiter: [(WaiterID, Name?)] {
            var all = signals.map { ($0.key, Optional($0.value)) }
            if let rest { all.append((rest.waiter, rest.cause.signal)) }
            return all.sorted { $0.0.number < $1.0.number }
        }

        /// The run whose end `waiter` waits for; nil if `waiter` waits for no run, or its wait is over.
        func inner(of waiter: WaiterID, _ over: [WaiterID: WaitOutcome]) -> Name? {
            rest?.waiter == waiter && over[waiter] == nil ? rest?.cause.run ?? rest?.inner : nil
        }

        func holds(_ waiter: WaiterID) -> Bool { rest?.waiter == waiter || signals[waiter] != nil }
    }

    /// The place where a run is suspended; its next task begins there.
    struct Rest {
        enum Cause: Equatable {
            /// The run waits for its gate's decision.
            case signal(Name)
            /// The action executes again at this time, in milliseconds since 1970.
            case retry(due: Int64)
            /// The run waits for the end of this run, which the action requested.
            case run(Name)
            /// The run waits for a redrive.
            case redrive
            /// The run waits for nothing, and resumes immediately.
            case executing

            var signal: Name? { if case .signal(let signal) = self { signal } else { nil } }
            /// The run whose end the action waits for; nil if it waits for something else.
            var run: Name? { if case .run(let run) = self { run } else { nil } }
        }

        let action: String
        let waiter: WaiterID
        let cause: Cause
        /// Why the action failed or the run was parked; otherwise nil.
        let failure: String?
        /// The requested run that the parked run waited for, or nil.
        ///
        /// If the parked run ends, the requested run is stopped.
        var inner: Name?
    }

    /// How a stopping run will end.
    struct Ending {
        let state: RunResult.State
        let reason: String
        /// The run's use of the worker's limits until the run ends.
        let account: Account
        /// Whether the run had no task when it was stopped; then no action can return and change the run's end.
        let wasAtRest: Bool
    }

    /// The run's waits; nil before it begins and while it is stopping.
    var waits: Waits? {
        switch state {
        case .executing(let waits), .suspended(let waits), .ready(let waits, _), .parked(let waits, _): waits
        case .queued, .stopping: nil
        }
    }

    /// The outcomes of the finished waits of a ready run, by waiter; empty in any other state.
    var over: [WaiterID: WaitOutcome] { if case .ready(_, let over) = state { over } else { [:] } }

    var account: Account {
        switch state {
        case .queued: Account(slot: .awaited, isActive: true)
        case .executing: Account(slot: .held, isActive: true)
        case .suspended, .parked: Account(slot: .none, isActive: false)
        case .ready: Account(slot: .awaited, isActive: false)
        case .stopping(let ending): ending.account
        }
    }

    /// The state as the protocol names it.
    var standing: StateReport.State {
        switch state {
        case .queued, .ready: .queued
        case .executing: .running
        case .suspended(let waits): waits.areForOthers ? .waiting : .retrying
        case .parked: .parked
        case .stopping: .stopping
        }
    }

    /// The state as the store names it; nil if no action can have executed.
    var keptState: ProgressRecord.State? {
        switch state {
        case .queued: return nil
        case .executing: return .executing
        case .stopping(let ending): return .stopping(ending.state, reason: ending.reason)
        case .parked(_, let reason): return .parked(reason: reason, remaining: clock.remaining?.milliseconds)
        case .suspended(let waits), .ready(let waits, _):
            guard let (_, signal) = waits.byWaiter.first else { return .executing }
            if let signal { return .waiting(signal) }
            switch waits.rest?.cause {
            case .run(let inner): return .awaiting(inner)
            case .retry(let due): return .retrying(due: due)
            case .signal, .redrive, .executing, nil: return .retrying(due: 0)
            }
        }
    }

    var isStopping: Bool { if case .stopping = state { true } else { false } }

    /// Whether the run awaits a slot to resume with.
    var isReady: Bool { if case .ready = state { true } else { false } }

    /// Whether a part of a begun run waits for a decision, an attempt, a redrive or a slot to resume with.
    ///
    /// Other parts of the run may be executing.
    var isWaitingForOthers: Bool {
        switch state {
        case .suspended, .ready, .parked: true
        case .executing(let waits): !waits.signals.isEmpty
        case .queued, .stopping: false
        }
    }

    /// Whether the run can execute or end before this time without a decision, another run or a redrive.
    ///
    /// - Parameters:
    ///   - end: The time.
    ///   - getsSlots: Whether runs of the pipeline get slots; false for instance while the pipeline is paused.
    ///   - deadline: Returns the deadline of a signal; nil if it has none.
    /// - Returns: Whether it can.
    func goesOnByItself(before end: Moment, getsSlots: Bool, deadline: (Name) -> Moment?) -> Bool {
        if let own = clock.deadline, own <= end { return true }
        switch state {
        case .queued, .ready: return getsSlots
        case .executing, .stopping: return true
        case .parked: return false
        case .suspended(let waits):
            // A task that waits in the code of an action may go on for reasons that only the code knows.
            guard let rest = waits.rest else { return true }
            switch rest.cause {
            case .signal(let signal): return deadline(signal).map { $0 <= end } ?? false
            case .retry(let due): return due <= end.unixMilliseconds
            case .run, .redrive: return false
            case .executing: return true
            }
        }
    }

    /// Why the run is parked, is stopping or waits for its next attempt; otherwise nil.
    var reason: String? {
        switch state {
        case .parked(_, let reason): reason
        case .stopping(let ending): ending.reason
        case .queued, .executing, .ready: nil
        case .suspended: standing == .retrying ? course.failure : nil
        }
    }

    /// Why the run is parked; nil if the run is not parked.
    var parkingReason: String? { if case .parked(_, let reason) = state { reason } else { nil } }

    /// The waiter of a parked run that a redrive resumes; nil if the run is not parked.
    var parkedWaiter: WaiterID? { if case .parked(let waits, _) = state { waits.rest?.waiter } else { nil } }

    /// The state in which a stopping run will end; nil if an executing action may still return and change that state.
    var certainEnd: StateReport.State? {
        guard case .stopping(let ending) = state, ending.wasAtRest else { return nil }
        return StateReport.State(ending.state)
    }

    /// The run whose end this run waits for; nil if it waits for no run, or if that run has ended.
    var awaitedRun: Name? {
        guard let rest = waits?.rest, over[rest.waiter] == nil else { return nil }
        return rest.cause.run
    }

    /// Whether the wait of `waiter` is still open.
    func isWaiting(_ waiter: WaiterID) -> Bool { waits?.holds(waiter) == true && over[waiter] == nil }

    /// Whether this waiter stands for the suspended run itself, and not for waiting code of an action.
    func isResting(with waiter: WaiterID) -> Bool { waits?.rest?.waiter == waiter }

    /// How long ago the run began; zero if it has not begun.
    func age(at now: Moment) -> Duration {
        .milliseconds(max(0, now.unixMilliseconds - (began ?? now.unixMilliseconds)))
    }
}

extension RunMachine.Waits {
    /// Whether the run waits for a signal or for another run, and not for a time.
    fileprivate var areForOthers: Bool { !signals.isEmpty || rest?.cause.signal != nil || rest?.cause.run != nil }
}

extension RunMachine.Rest {
    init(_ left: RunRest, _ cause: Cause) {
        self.init(action: left.action, waiter: left.waiter, cause: cause, failure: left.failure)
    }

    /// The same place; if `waiter` waited for a gate there, the run no longer waits for the gate.
    ///
    /// The run then resumes immediately, and evaluates again whether it needs the gate.
    func goingOn(from waiter: WaiterID) -> Self {
        guard waiter == self.waiter, cause.signal != nil else { return self }
        return Self(action: action, waiter: waiter, cause: .executing, failure: failure)
    }
}

extension RunMachine.Account {
    /// The same account without an awaited slot.
    var withoutQueue: Self { Self(slot: slot == .held ? .held : .none, isActive: isActive) }
}

extension RunRest {
    /// Why the action failed; nil if the run is suspended for another reason.
    var failure: String? { if case .failed(let reason) = kind { reason.asReason } else { nil } }
}

extension ActionOutcome.Result {
    /// Makes the result of the action at which a run is suspended, if the run ends without resuming.
    init(_ rest: RunMachine.Rest, _ outcome: WaitOutcome) {
        if let failure = rest.failure {
            self = .failed(failure)
            return
        }
        switch outcome {
        case .decided(let decision): self = ActionOutcome.Result(decision)
        case .refused(let error): self = .failed(error.description)
        case .failed(let reason): self = .failed(reason)
        case .ended(let result): self = ActionOutcome.Result(requested: result)
        case .requested: self = .completed
        case .registered, .proceed: self = .skipped
        }
    }
}
