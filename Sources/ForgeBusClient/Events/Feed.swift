import DequeModule
import ForgeBusProtocol
import ForgeLocks
import ZeroMQ

/// Passes values from the reactor's thread to tasks, in order, until the feed ends.
///
/// Each value goes to only one reader, even if several tasks read. One lock protects all state.
final class Feed<Element: Sendable>: Sendable {
    private struct State {
        var buffer: Deque<Element> = []
        var end: Result<Void, BusError>?
        var readers: [CheckedContinuation<Void, Never>] = []
        /// The number of values that readers have taken since the last call of `onTaken`.
        var taken = 0
    }

    private let state = Guarded(State())
    private let capacity: Int
    /// The number of values that readers take between two calls of `onTaken`.
    private let batch: Int
    private let onTaken: @Sendable (Int) -> Void

    /// Makes an empty feed.
    ///
    /// - Parameters:
    ///   - capacity: The largest number of values that the feed keeps for a slow reader. When the feed is full, a new
    ///     value replaces the oldest one.
    ///   - batch: The number of values that readers take between two calls of `onTaken`; by default the feed never
    ///     calls `onTaken`.
    ///   - onTaken: Called with the number of values that readers have taken since the previous call.
    init(capacity: Int, batch: Int = .max, onTaken: @escaping @Sendable (Int) -> Void = { _ in }) {
        self.capacity = capacity
        self.batch = batch
        self.onTaken = onTaken
    }

    /// The error with which the feed ended; nil if it has not ended, or has ended without an error.
    var failure: BusError? {
        guard case .failure(let error) = state.withLock({ $0.end }) else { return nil }
        return error
    }

    /// Adds a value; after the end of the feed, does nothing.
    func add(_ element: Element) {
        wake { state in
            guard state.end == nil else { return }
            if state.buffer.count == capacity { state.buffer.removeFirst() }
            state.buffer.append(element)
        }
    }

    /// Ends the feed; readers get the remaining values first.
    func finish(_ end: Result<Void, BusError>) {
        wake { state in
            if state.end == nil { state.end = end }
        }
    }

    /// Waits for the next value; returns nil after the end, or if the task is cancelled.
    ///
    /// - Throws: The error with which the feed ended.
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
