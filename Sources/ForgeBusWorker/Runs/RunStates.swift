import ForgeBusProtocol
import ForgeBusStore

extension RunMachine {
    /// What a run waits for.
    struct Waits {
        /// Where its task left it; nil while a task executes.
        var rest: Rest?
        /// Signals that actions opened whose tasks wait.
        var signals: [WaiterID: SignalID] = [:]

        /// Each waiter with its signal, if it waits for one; in the order in which they began to wait.
        var byWaiter: [(WaiterID, SignalID?)] {
            var all = signals.map { ($0.key, Optional($0.value)) }
            if let rest { all.append((rest.waiter, rest.cause.signal)) }
            return all.sorted { $0.0.number < $1.0.number }
        }

        func holds(_ waiter: WaiterID) -> Bool { rest?.waiter == waiter || signals[waiter] != nil }
    }

    /// Where the task of a run left it: the next one begins there.
    struct Rest {
        enum Cause: Equatable {
            /// Its gate is to be decided.
            case signal(SignalID)
            /// It is executed again at this time, in milliseconds since 1970.
            case retry(due: Int64)
            /// Somebody is to redrive it.
            case redrive
            /// Nothing: it goes on at once.
            case executing

            var signal: SignalID? { if case .signal(let signal) = self { signal } else { nil } }
        }

        let action: String
        let waiter: WaiterID
        let cause: Cause
        /// Why the action failed; nil at a gate.
        let failure: String?
    }

    /// What a run is to end as.
    struct Ending {
        let state: RunResult.State
        let reason: String
        /// What it takes until it ends.
        let account: Account
        /// Whether it had no task when it was stopped: then nothing can return that changes the end.
        let wasAtRest: Bool
    }

    /// What it waits for; nil before it began, and when it is to end.
    var waits: Waits? {
        switch state {
        case .executing(let waits), .suspended(let waits), .ready(let waits, _), .parked(let waits, _): waits
        case .queued, .stopping: nil
        }
    }

    /// Waits that are over, until it has a slot to resume with.
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

    /// How the protocol calls the state.
    var standing: StateReport.State {
        switch state {
        case .queued, .ready: .queued
        case .executing: .running
        case .suspended(let waits): waits.isForSignal ? .waiting : .retrying
        case .parked: .parked
        case .stopping: .stopping
        }
    }

    /// How the store calls the state; nil where no action may have executed.
    var keptState: ProgressRecord.State? {
        switch state {
        case .queued: return nil
        case .executing: return .executing
        case .stopping(let ending): return .stopping(ending.state, reason: ending.reason)
        case .parked(_, let reason): return .parked(reason: reason, remaining: clock.remaining?.milliseconds)
        case .suspended(let waits), .ready(let waits, _):
            guard let (_, signal) = waits.byWaiter.first else { return .executing }
            if let signal { return .waiting(signal) }
            guard case .retry(let due) = waits.rest?.cause else { return .retrying(due: 0) }
            return .retrying(due: due)
        }
    }

    var isStopping: Bool { if case .stopping = state { true } else { false } }

    /// Whether it awaits a slot to resume with.
    var isReady: Bool { if case .ready = state { true } else { false } }

    /// The waiter that a redrive ends.
    var parkedWaiter: WaiterID? { if case .parked(let waits, _) = state { waits.rest?.waiter } else { nil } }

    /// What it ends as, where that is certain: no action of it executes that could still return.
    var certainEnd: StateReport.State? {
        guard case .stopping(let ending) = state, ending.wasAtRest else { return nil }
        return StateReport.State(ending.state)
    }

    /// Whether this wait is not over.
    func isWaiting(_ waiter: WaiterID) -> Bool { waits?.holds(waiter) == true && over[waiter] == nil }

    /// Whether this waiter is the run itself, which has no task.
    func isResting(with waiter: WaiterID) -> Bool { waits?.rest?.waiter == waiter }

    /// How long ago it began; zero where it has not.
    func age(at now: Moment) -> Duration {
        .milliseconds(max(0, now.unixMilliseconds - (began ?? now.unixMilliseconds)))
    }
}

extension RunMachine.Waits {
    fileprivate var isForSignal: Bool { !signals.isEmpty || rest?.cause.signal != nil }
}

extension RunMachine.Rest {
    init(_ left: RunRest, _ cause: Cause) {
        self.init(action: left.action, waiter: left.waiter, cause: cause, failure: left.failure)
    }

    /// The same of a gate that is asked anew where `waiter` is its own.
    func goingOn(from waiter: WaiterID) -> Self {
        guard waiter == self.waiter, cause.signal != nil else { return self }
        return Self(action: action, waiter: waiter, cause: .executing, failure: failure)
    }
}

extension RunMachine.Account {
    /// The same for one that awaits no slot any more.
    var withoutQueue: Self { Self(slot: slot == .held ? .held : .none, isActive: isActive) }
}

extension RunRest {
    /// Why the action failed; nil at a gate.
    var failure: String? { if case .failed(let reason) = kind { reason.asReason } else { nil } }
}

extension ActionOutcome.Result {
    /// How the action came out at which a run was left that ends without resuming.
    init(_ rest: RunMachine.Rest, _ outcome: WaitOutcome) {
        if let failure = rest.failure {
            self = .failed(failure)
            return
        }
        switch outcome {
        case .decided(let decision): self = ActionOutcome.Result(decision)
        case .refused(let error): self = .failed(error.description)
        case .failed(let reason): self = .failed(reason)
        case .registered, .proceed: self = .skipped
        }
    }
}
