import DequeModule
import ForgeBusProtocol
import ForgeLocks
import ZeroMQ

/// Passes values from the reactor's thread to tasks, in order.
///
/// Each value is read once, even if several tasks read. All state is behind one lock.
final class Feed<Element: Sendable>: Sendable {
    private struct State {
        var buffer: Deque<Element> = []
        var end: Result<Void, BusError>?
        var readers: [CheckedContinuation<Void, Never>] = []
        /// The number of values taken since the last call of `onTaken`.
        var taken = 0
    }

    private let state = Guarded(State())
    private let capacity: Int
    /// How many values a reader takes before `onTaken` is called.
    private let batch: Int
    private let onTaken: @Sendable (Int) -> Void

    /// - Parameters:
    ///   - capacity: How many values the feed keeps for a slow reader; beyond that, it drops the oldest.
    ///   - batch: How many values a reader takes before `onTaken` is called.
    ///   - onTaken: Gets the number of values that were taken since its last call.
    init(capacity: Int, batch: Int = .max, onTaken: @escaping @Sendable (Int) -> Void = { _ in }) {
        self.capacity = capacity
        self.batch = batch
        self.onTaken = onTaken
    }

    /// The error that ended the feed, or nil.
    var failure: BusError? {
        guard case .failure(let error) = state.withLock({ $0.end }) else { return nil }
        return error
    }

    /// Adds a value, unless the feed has ended.
    func add(_ element: Element) {
        wake { state in
            guard state.end == nil else { return }
            if state.buffer.count == capacity { state.buffer.removeFirst() }
            state.buffer.append(element)
        }
    }

    /// Ends the feed after its remaining values have been read.
    func finish(_ end: Result<Void, BusError>) {
        wake { state in
            if state.end == nil { state.end = end }
        }
    }

    /// Waits for the next value; nil at the end, or when the task is cancelled.
    ///
    /// - Throws: The error that ended the feed.
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
