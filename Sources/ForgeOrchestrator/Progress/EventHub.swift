import ForgeLocks
import Synchronization

/// Sends every event to every reader.
package final class EventHub: Sendable {
    /// The readers by number; the mutex guards this state.
    private struct State {
        var readers: [UInt64: AsyncStream<OrchestratorEvent>.Continuation] = [:]
        var lastReader: UInt64 = 0
    }

    private let state = Guarded(State())
    /// The number of readers; `emit` reads it without the lock, so that an event without readers costs almost nothing.
    private let readerCount = Atomic(0)

    package init() {}

    deinit {
        let readers = state.withLock { $0.readers }
        for reader in readers.values { reader.finish() }
    }

    /// Returns a sequence of all events that are emitted from now on.
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

    /// Emits an event; the argument is evaluated only if there are readers.
    func emit(_ event: @autoclosure () -> OrchestratorEvent) {
        guard readerCount.load(ordering: .acquiring) > 0 else { return }
        let event = event()
        let readers = state.withLock { $0.readers }
        for reader in readers.values { reader.yield(event) }
    }

    private func unsubscribe(_ number: UInt64) {
        // The removed continuation is released after the lock.
        _ = state.withLock { state in
            defer { readerCount.store(state.readers.count, ordering: .releasing) }
            return state.readers.removeValue(forKey: number)
        }
    }

    /// The number of readers; for tests.
    package var readers: Int { readerCount.load(ordering: .acquiring) }
}
