import ForgeBusProtocol
import ForgeBusStore
import ForgeLocks
import ForgeOrchestrator

/// The part of the worker that runs and cycles call, from any thread, to report events and to wait for decisions.
protocol WorkSupervisor: AnyObject, Sendable {
    /// The register of waits for decisions and commits.
    var waits: WaitRegister { get }
    /// The simulation in a test of actions; nil in any other worker.
    var simulation: (any Simulation)? { get }

    /// The lease by which the worker holds its store; nil if it needs none.
    var lease: (any StoreLease)? { get }

    /// Posts an event to the core; `event` is called on the core's thread.
    ///
    /// - Returns: Whether the core will get the event: false once the worker is closed.
    @discardableResult
    func post(_ event: @escaping @Sendable () -> Event) -> Bool

    /// Reports about a run to the worker's loop, which takes many reports at once, in the order of the calls.
    func report(_ report: RunReport)
}

extension WorkSupervisor {
    /// The gate of runs and cycles, open while this process holds the worker's lease; nil on a worker without a lease.
    var gate: ExecutionGate? { lease.map { lease in ExecutionGate { lease.error == nil } } }

    /// The time by which all waits are measured.
    var instant: ContinuousClock.Instant { simulation?.instant ?? .now }
    /// The wall-clock time, in milliseconds since 1970.
    var unixMilliseconds: Int64 { simulation?.unixMilliseconds ?? WallClock.unixMilliseconds }

    /// Posts an event to the core.
    ///
    /// - Returns: Whether the core will get the event: false once the worker is closed.
    @discardableResult
    func post(_ event: Event) -> Bool { post { event } }

    /// Posts an event and waits until its consequences are committed, or the worker closes.
    func checkpoint(_ event: @Sendable (WaiterID) -> Event) async {
        let waiter = waits.mint()
        await withCheckedContinuation { continuation in
            waits.add(waiter) { _ in continuation.resume() }
            if !post(event(waiter)) { waits.close(waiter) }
        }
    }

    /// Opens the signal, and waits until it is decided or ends undecided.
    ///
    /// If the task is cancelled, the wait ends with ``GateDecision/closed(why:)``.
    ///
    /// - Throws: The error with which the worker refuses to open the signal.
    func decision(
        on signal: Name,
        kind: SignalKind,
        owner: SignalOwner,
        deadline: Duration?,
        rule: GateRule = .anybody
    ) async throws(BusError) -> GateDecision {
        let waiting = SignalWait(owner: owner, kind: kind, waiter: waits.mint(), terms: GateTerms(rule: rule))
        let order = OpeningOrder()
        let why = "The program that waited for this signal has cancelled its wait."
        let result: Result<GateDecision, BusError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOpen = order.open {
                    open(signal, waiting, deadline: deadline) { outcome in
                        switch outcome {
                        case .registered, .proceed, .failed, .requested, .ended: break
                        case .decided(let decision): continuation.resume(returning: .success(decision))
                        case .refused(let error): continuation.resume(returning: .failure(error))
                        }
                    }
                }
                if !isOpen { continuation.resume(returning: .success(.closed(why: why))) }
            }
        } onCancel: {
            order.cancel { post(.withdrawn(signal, waiting.waiter, why: why)) }
        }
        return try result.get()
    }

    /// Registers a plain signal, and returns once the signal is registered or already completed.
    ///
    /// - Throws: `BusError` with code `closed` if the worker stops first, or the error with which the worker refuses to
    ///   open the signal.
    func announce(_ signal: CompletionSignal, under id: Name, owner: SignalOwner) async throws {
        let waiting = SignalWait(owner: owner, kind: .signal, waiter: waits.mint())
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            open(id, waiting, deadline: nil) { [waits] outcome in
                switch outcome {
                case .registered:
                    // This handler replaces the first one, so that nothing retains the continuation after the
                    // registration.
                    waits.add(waiting.waiter) { if case .decided(.approved) = $0 { signal.complete() } }
                    continuation.resume()
                case .decided(.approved):
                    signal.complete()
                    continuation.resume()
                case .proceed, .failed, .requested, .ended: break
                // A plain signal ends undecided only when the worker stops.
                case .decided(.rejected), .decided(.expired), .decided(.closed):
                    continuation.resume(throwing: BusError.stopped)
                case .refused(let error): continuation.resume(throwing: error)
                }
            }
        }
    }

    /// Opens a signal; `handler` gets each outcome of the wait.
    ///
    /// The last outcome comes at the latest when the worker stops.
    private func open(
        _ signal: Name,
        _ waiting: SignalWait,
        deadline: Duration?,
        handler: @escaping WaitRegister.Handler
    ) {
        waits.add(waiting.waiter, handler)
        let isTaken = post(.opened(SignalOpening(signal: signal, waiting: waiting, deadline: deadline)))
        if !isTaken { waits.close(waiting.waiter) }
    }
}

extension BusError {
    fileprivate static let stopped = BusError(
        .closed,
        "The worker has stopped.",
        next: "Announce the signal again on the worker that replaces this one."
    )
}

/// Makes sure that the core never gets a cancellation before the opening that the cancellation must undo.
private final class OpeningOrder: Sendable {
    private enum State {
        case closed
        case open
        case cancelled
    }

    private let state = Guarded(State.closed)

    /// Runs `action`, which opens the signal, unless the task was cancelled before.
    ///
    /// - Returns: Whether `action` ran.
    func open(_ action: () -> Void) -> Bool {
        state.withLock { state in
            guard case .closed = state else { return false }
            action()
            state = .open
            return true
        }
    }

    /// Runs `action`, which undoes the opening; if the signal is not open yet, prevents its opening.
    func cancel(_ action: () -> Void) {
        state.withLock { state in
            if case .open = state { action() }
            state = .cancelled
        }
    }
}
