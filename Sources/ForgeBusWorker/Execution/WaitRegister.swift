import ForgeBusProtocol
import ForgeLocks
import ForgeOrchestrator
import Synchronization
import ZeroMQ

/// Who is to be resumed when a wait ends.
///
/// Owned by the reactor thread, but for the numbers, which any thread may draw.
final class WaitRegister: @unchecked Sendable {
    private var waiters: [WaiterID: @Sendable (WaitOutcome) -> Void] = [:]
    private var isClosed = false
    private let numbers = Atomic<UInt64>(0)

    /// A number no other wait of this worker has.
    func mint() -> WaiterID {
        WaiterID(number: numbers.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Somebody waits from now on; after ``closeAll()`` nobody does any more and is told so at once.
    func add(_ waiter: WaiterID, _ handler: @escaping @Sendable (WaitOutcome) -> Void) {
        guard !isClosed else { return handler(Self.stopped) }
        waiters[waiter] = handler
    }

    /// Tells whoever waits, and forgets it unless the wait goes on.
    func resume(_ waiter: WaiterID, _ outcome: WaitOutcome) {
        guard let handler = waiters[waiter] else { return }
        if case .registered = outcome {} else { waiters[waiter] = nil }
        handler(outcome)
    }

    /// The worker closes: nobody is left waiting.
    func closeAll() {
        let left = waiters
        waiters = [:]
        isClosed = true
        for handler in left.values { handler(Self.stopped) }
    }

    private static let stopped = WaitOutcome.decided(.closed(why: "The worker stopped."))
}

extension WorkerLoop {
    /// Registers a wait; what becomes of it comes to `handler` on the reactor thread.
    ///
    /// - Returns: Whether it will be registered: false once the worker is closed.
    func openSignal(
        _ signal: SignalID,
        _ waiting: GateBook.Waiting,
        deadline: Duration?,
        handler: @escaping @Sendable (WaitOutcome) -> Void
    ) -> Bool {
        reactor.submit { [self] reactor in
            waits.add(waiting.waiter, handler)
            step(.opened(SignalOpening(signal: signal, waiting: waiting, deadline: deadline)), reactor)
        }
    }

    /// Steps an event and waits until what it led to is committed, or the worker closes.
    func checkpoint(_ event: @escaping @Sendable (WaiterID) -> Event) async {
        let waiter = waits.mint()
        await withCheckedContinuation { continuation in
            let isOpen = reactor.submit { [self] reactor in
                waits.add(waiter) { _ in continuation.resume() }
                step(event(waiter), reactor)
            }
            if !isOpen { continuation.resume() }
        }
    }

    /// Waits until the signal is decided, its deadline passes or it is withdrawn.
    ///
    /// A cancelled task withdraws it: the decision is then ``GateDecision/closed(why:)``.
    func decision(
        on signal: SignalID,
        kind: SignalKind,
        owner: SignalOwner,
        deadline: Duration?,
        rule: GateRule = .anybody
    ) async throws(BusError) -> GateDecision {
        let waiting = GateBook.Waiting(owner: owner, kind: kind, waiter: waits.mint(), rule: rule)
        let gate = WaitGate()
        let result: Result<GateDecision, BusError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOpen = gate.open {
                    openSignal(signal, waiting, deadline: deadline) { outcome in
                        switch outcome {
                        case .registered, .proceed, .failed: break
                        case .decided(let decision): continuation.resume(returning: .success(decision))
                        case .refused(let error): continuation.resume(returning: .failure(error))
                        }
                    }
                }
                if !isOpen {
                    continuation.resume(returning: .success(.closed(why: "It could not be opened any more.")))
                }
            }
        } onCancel: {
            gate.cancel { post(.withdrawn(signal, waiting.waiter, why: "Its task was cancelled.")) }
        }
        return try result.get()
    }
}

/// Keeps a cancellation from overtaking the opening it is to undo.
private final class WaitGate: Sendable {
    private enum State {
        case closed
        case open
        case cancelled
    }

    private let state = Guarded(State.closed)

    /// Opens unless it was cancelled before.
    func open(_ action: () -> Bool) -> Bool {
        state.withLock { state in
            guard case .closed = state, action() else { return false }
            state = .open
            return true
        }
    }

    /// Undoes the opening, or keeps it from happening.
    func cancel(_ action: () -> Void) {
        state.withLock { state in
            if case .open = state { action() }
            state = .cancelled
        }
    }
}
