import DequeModule
import ForgeBusProtocol
import ForgeLocks
import ZeroMQ

/// Hands values from the reactor's thread to a task, in order, until they end.
///
/// Each value is read once, also where several tasks read. All state is behind one lock.
final class Feed<Element: Sendable>: Sendable {
    private struct State {
        var buffer: Deque<Element> = []
        var end: Result<Void, BusError>?
        var readers: [CheckedContinuation<Void, Never>] = []
        /// How many were taken since `onTaken` was called.
        var taken = 0
    }

    private let state = Guarded(State())
    private let capacity: Int
    /// How many a reader takes before `onTaken` is called.
    private let batch: Int
    private let onTaken: @Sendable (Int) -> Void

    /// - Parameters:
    ///   - capacity: How many values are kept for a slow reader; then the oldest goes.
    ///   - batch: How many a reader takes before `onTaken` is called.
    ///   - onTaken: Called with how many the reader has taken.
    init(capacity: Int, batch: Int = .max, onTaken: @escaping @Sendable (Int) -> Void = { _ in }) {
        self.capacity = capacity
        self.batch = batch
        self.onTaken = onTaken
    }

    /// Why it ended, if it ended with an error.
    var failure: BusError? {
        guard case .failure(let error) = state.withLock({ $0.end }) else { return nil }
        return error
    }

    /// Adds a value; after the end nothing happens.
    func add(_ element: Element) {
        wake { state in
            guard state.end == nil else { return }
            if state.buffer.count == capacity { state.buffer.removeFirst() }
            state.buffer.append(element)
        }
    }

    /// Ends the values, once those that are there are read.
    func finish(_ end: Result<Void, BusError>) {
        wake { state in
            if state.end == nil { state.end = end }
        }
    }

    /// The next value, waiting for it if need be; nil at the end, and when the task is cancelled.
    ///
    /// - Throws: Why there is no next value.
    func next(isolation: isolated (any Actor)? = #isolation) async throws(BusError) -> Element? {
        while true {
            let (element, end, taken) = state.withLock { Self.take(&$0, batch: batch) }
            if taken > 0 { onTaken(taken) }
            if let element { return element }
            if let end {
                try end.get()
                return nil
            }
            if Task.isCancelled { return nil }
            await somethingNew()
        }
    }

    private static func take(_ state: inout State, batch: Int) -> (Element?, Result<Void, BusError>?, taken: Int) {
        guard let element = state.buffer.popFirst() else { return (nil, state.end, 0) }
        state.taken += 1
        guard state.taken >= batch else { return (element, nil, 0) }
        defer { state.taken = 0 }
        return (element, nil, state.taken)
    }

    private func somethingNew(isolation: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.buffer.isEmpty, state.end == nil, !Task.isCancelled else { return false }
                    state.readers.append(continuation)
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            wake { _ in }
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let readers = state.withLock { state in
            change(&state)
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.resume() }
    }
}
