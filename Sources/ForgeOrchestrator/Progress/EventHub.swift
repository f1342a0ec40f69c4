import ForgeLocks
import Synchronization

/// Hands every event to every reader.
package final class EventHub: Sendable {
    /// Guarded by the mutex.
    private struct State {
        var readers: [UInt64: AsyncStream<OrchestratorEvent>.Continuation] = [:]
        var lastReader: UInt64 = 0
    }

    private let state = Guarded(State())
    /// Looked at without the lock, so that an orchestrator whose events nobody reads pays nothing for them.
    private let readerCount = Atomic(0)

    package init() {}

    deinit {
        let readers = state.withLock { $0.readers }
        for reader in readers.values { reader.finish() }
    }

    /// A sequence of everything that is emitted from now on.
    package func subscribe() -> OrchestratorEvents {
        let (stream, continuation) = AsyncStream.makeStream(
            of: OrchestratorEvent.self,
            bufferingPolicy: .bufferingNewest(OrchestratorEvents.capacity)
        )
        let number = state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = continuation
            readerCount.store(state.readers.count, ordering: .releasing)
            return state.lastReader
        }
        continuation.onTermination = { [weak self] _ in self?.unsubscribe(number) }
        return OrchestratorEvents(stream: stream)
    }

    /// Emits the event; it is only made when somebody reads.
    func emit(_ event: @autoclosure () -> OrchestratorEvent) {
        guard readerCount.load(ordering: .acquiring) > 0 else { return }
        let event = event()
        let readers = state.withLock { $0.readers }
        for reader in readers.values { reader.yield(event) }
    }

    private func unsubscribe(_ number: UInt64) {
        // Released after the lock.
        _ = state.withLock { state in
            defer { readerCount.store(state.readers.count, ordering: .releasing) }
            return state.readers.removeValue(forKey: number)
        }
    }

    /// How many readers there are; for tests.
    package var readers: Int { readerCount.load(ordering: .acquiring) }
}
