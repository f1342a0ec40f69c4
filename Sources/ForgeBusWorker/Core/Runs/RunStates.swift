import ForgeBusProtocol
import ForgeBusStore

extension RunMachine {
    /// The signals that the code of the run's actions opened and waits for, by waiter.
    typealias Opened = [WaiterID: Name]

    /// Where a run has stopped; its next task begins there.
    struct Place {
        let action: String
        /// The waiter that stands for the run itself.
        let waiter: WaiterID
        /// Why the action failed or the run was parked; otherwise nil.
        let failure: String?
    }

    /// What a run that has stopped waits for.
    enum Wait: Equatable {
        /// The decision on its gate.
        case decision(Name)
        /// The time of the action's next attempt, in milliseconds since 1970.
        case attempt(due: Int64)
        /// The end of this run, which the action requested.
        case run(Name)
        /// Nothing: the run goes on as soon as it may.
        case nothing

        var signal: Name? { if case .decision(let signal) = self { signal } else { nil } }
        /// The run whose end the action waits for; nil if it waits for something else.
        var run: Name? { if case .run(let run) = self { run } else { nil } }
    }

    /// Where a run has stopped, and what it waits for there.
    struct Stop {
        let place: Place
        let wait: Wait

        init(_ place: Place, for wait: Wait) { (self.place, self.wait) = (place, wait) }
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

    /// Where the run has stopped, and what it waits for there; nil while a task executes, and for a parked run.
    var stop: Stop? {
        switch state {
        case .settling(let stop, _), .waiting(let stop, _): stop
        case .ready(let stop, _, _): stop
        case .queued, .running, .waitingInCode, .parked, .stopping: nil
        }
    }

    /// Where the run has stopped; nil while a task executes.
    var place: Place? { if case .parked(let place, _, _, _) = state { place } else { stop?.place } }

    /// The signals that the code of the run's actions opened and waits for.
    var opened: Opened {
        switch state {
        case .running(let opened), .settling(_, let opened), .waiting(_, let opened), .waitingInCode(let opened),
            .ready(_, let opened, _), .parked(_, _, _, let opened):
            opened
        case .queued, .stopping: [:]
        }
    }

    /// The outcomes of the finished waits of a ready run, by waiter; empty in any other state.
    var over: [WaiterID: WaitOutcome] { if case .ready(_, _, let over) = state { over } else { [:] } }

    /// The waiters in the order in which they began to wait, each with its signal or nil.
    var waiters: [(waiter: WaiterID, signal: Name?)] {
        var all = opened.map { (waiter: $0.key, signal: Optional($0.value)) }
        if let place { all.append((place.waiter, stop?.wait.signal)) }
        return all.sorted { $0.waiter.number < $1.waiter.number }
    }

    /// Whether the run, or code of its actions, waits under this id.
    func holds(_ waiter: WaiterID) -> Bool { place?.waiter == waiter || opened[waiter] != nil }

    /// The run that the action requested where this run waits for it or is parked; it ends with this run.
    var innerRun: Name? {
        if case .parked(_, _, let inner, _) = state { inner } else { awaitedRun }
    }

    var account: Account {
        switch state {
        case .queued: Account(slot: .awaited, isActive: true)
        case .running, .settling: Account(slot: .held, isActive: true)
        case .waiting, .waitingInCode, .parked: Account(slot: .none, isActive: false)
        case .ready: Account(slot: .awaited, isActive: false)
        case .stopping(let ending): ending.account
        }
    }

    /// The state as the protocol names it.
    var standing: StateReport.State {
        switch state {
        case .queued, .ready: .queued
        case .running, .settling: .running
        case .waiting(let stop, let opened):
            opened.isEmpty && stop.wait.signal == nil && stop.wait.run == nil ? .retrying : .waiting
        case .waitingInCode(let opened): opened.isEmpty ? .retrying : .waiting
        case .parked: .parked
        case .stopping: .stopping
        }
    }

    /// The state as the store names it; nil if no action can have executed.
    var keptState: ProgressRecord.State? {
        switch state {
        case .queued: return nil
        case .running, .settling: return .executing
        case .stopping(let ending): return .stopping(ending.state, reason: ending.reason)
        case .parked(_, let reason, _, _): return .parked(reason: reason, remaining: clock.remaining?.milliseconds)
        case .waiting, .waitingInCode, .ready:
            guard let first = waiters.first else { return .executing }
            if let signal = first.signal { return .waiting(signal) }
            return switch stop?.wait {
            case .run(let inner): .awaiting(inner)
            case .attempt(let due): .retrying(due: due)
            case .decision, .nothing, nil: .retrying(due: 0)
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
        case .waiting, .waitingInCode, .ready, .parked: true
        case .running(let opened), .settling(_, let opened): !opened.isEmpty
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
        case .running, .settling, .stopping: return true
        case .parked: return false
        // A task that waits in the code of an action may go on for reasons that only the code knows.
        case .waitingInCode: return true
        case .waiting(let stop, _):
            switch stop.wait {
            case .decision(let signal): return deadline(signal).map { $0 <= end } ?? false
            case .attempt(let due): return due <= end.unixMilliseconds
            case .run: return false
            case .nothing: return true
            }
        }
    }

    /// Why the run is parked, is stopping or waits for its next attempt; otherwise nil.
    var reason: String? {
        switch state {
        case .parked(_, let reason, _, _): reason
        case .stopping(let ending): ending.reason
        case .queued, .running, .settling, .ready: nil
        case .waiting, .waitingInCode: standing == .retrying ? course.failure : nil
        }
    }

    /// Why the run is parked; nil if the run is not parked.
    var parkingReason: String? { if case .parked(_, let reason, _, _) = state { reason } else { nil } }

    /// The waiter of a parked run that a redrive resumes; nil if the run is not parked.
    var parkedWaiter: WaiterID? { if case .parked(let place, _, _, _) = state { place.waiter } else { nil } }

    /// The state in which a stopping run will end; nil if an executing action may still return and change that state.
    var certainEnd: StateReport.State? {
        guard case .stopping(let ending) = state, ending.wasAtRest else { return nil }
        return StateReport.State(ending.state)
    }

    /// The run whose end this run waits for; nil if it waits for no run, or if that run has ended.
    var awaitedRun: Name? {
        guard let stop, over[stop.place.waiter] == nil else { return nil }
        return stop.wait.run
    }

    /// Whether the wait of `waiter` is still open.
    func isWaiting(_ waiter: WaiterID) -> Bool { holds(waiter) && over[waiter] == nil }

    /// Whether this waiter stands for the suspended run itself, and not for waiting code of an action.
    func isResting(with waiter: WaiterID) -> Bool { place?.waiter == waiter }

    /// How long ago the run began; zero if it has not begun.
    func age(at now: Moment) -> Duration {
        .milliseconds(max(0, now.unixMilliseconds - (began ?? now.unixMilliseconds)))
    }
}

extension RunMachine.Place {
    init(_ left: RunRest) { self.init(action: left.action, waiter: left.waiter, failure: left.failure) }
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
    init(_ place: RunMachine.Place, _ outcome: WaitOutcome) {
        if let failure = place.failure {
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
