import ForgeBusProtocol
import ForgeBusStore
import ForgeLocks
import ForgeOrchestrator
import ZeroMQ

/// Where a worker stands in its one life, for whoever asks from outside: not begun, bound, ended.
final class RunningLoop: Sendable {
    /// What is there once the endpoints are bound.
    struct Bound: Sendable {
        let loop: WorkerLoop
        let endpoints: [Endpoint]
        let publicationEndpoints: [Endpoint]
    }

    private enum State {
        case idle([CheckedContinuation<Bound, any Error>])
        case begun([CheckedContinuation<Bound, any Error>])
        case bound(Bound)
        case ended(any Error)
    }

    private let state = Guarded(State.idle([]))

    /// The worker begins.
    ///
    /// - Returns: Whether it is the first time.
    func begin() -> Bool {
        state.withLock { state in
            guard case .idle(let waiting) = state else { return false }
            state = .begun(waiting)
            return true
        }
    }

    /// The endpoints are bound.
    func bind(_ bound: Bound) { leave(.bound(bound), with: .success(bound)) }

    /// The worker has ended, or could not begin.
    func end(_ error: any Error) { leave(.ended(error), with: .failure(error)) }

    /// What is bound, as soon as it is.
    ///
    /// - Throws: What ended the worker.
    func bound() async throws -> Bound {
        try await withCheckedThrowingContinuation { continuation in
            let known: Result<Bound, any Error>? = state.withLock { state in
                switch state {
                case .idle(let waiting):
                    state = .idle(waiting + [continuation])
                    return nil
                case .begun(let waiting):
                    state = .begun(waiting + [continuation])
                    return nil
                case .bound(let bound): return .success(bound)
                case .ended(let error): return .failure(error)
                }
            }
            if let known { continuation.resume(with: known) }
        }
    }

    private func leave(_ next: State, with result: Result<Bound, any Error>) {
        let waiting = state.withLock { state in
            defer { state = next }
            switch state {
            case .idle(let waiting), .begun(let waiting): return waiting
            case .bound, .ended: return []
            }
        }
        for continuation in waiting { continuation.resume(with: result) }
    }
}

extension WorkerLoop {
    /// Begins to take messages.
    func start(on reactor: isolated Reactor) throws(ZeroMQError) { try open(reactor) }

    /// Opens the doors, before the next message is looked at.
    func becomeReady(on reactor: isolated Reactor) { step(.ready, reactor) }

    /// What made the store fail, if it did.
    func failure(on reactor: isolated Reactor) -> StoreError? { failure }

    /// What was counted so far.
    func counters(on reactor: isolated Reactor) -> WorkerCounters { counters }

    /// Ends what is under way and resumes whoever waits: nothing hangs on a worker that is gone.
    func stopHosting() async {
        await stopHosting(on: reactor)
    }

    private func stopHosting(on reactor: isolated Reactor) {
        hosted.cancelAll()
        waits.closeAll()
        troubles.flush()
    }

    /// Registers a plain signal and returns once it is.
    func announce(_ signal: CompletionSignal, under id: SignalID, owner: SignalOwner) async throws {
        let waiting = GateBook.Waiting(owner: owner, kind: .signal, waiter: waits.mint())
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let isOpen = openSignal(id, waiting, deadline: nil) { [waits] outcome in
                switch outcome {
                case .registered:
                    // From here on nobody waits to hear that it is registered: what that took is not kept.
                    waits.add(waiting.waiter) { if case .decided(.approved) = $0 { signal.complete() } }
                    continuation.resume()
                case .decided(.approved):
                    signal.complete()
                    continuation.resume()
                case .proceed, .failed: break
                // A plain signal ends undecided only when the worker stops.
                case .decided(.rejected), .decided(.expired), .decided(.closed):
                    continuation.resume(throwing: BusError.stopped)
                case .refused(let error): continuation.resume(throwing: error)
                }
            }
            if !isOpen { continuation.resume(throwing: BusError.stopped) }
        }
    }
}

extension BusError {
    fileprivate static let stopped = BusError(
        .closed,
        "The worker has stopped.",
        next: "Announce signals while it serves."
    )
}
