import ForgeLocks

/// A bounded buffer: the reactor adds batches of messages, and one task at a time takes messages out.
///
/// One lock guards the whole state. A message for a waiting task leaves the buffer in the same critical section in
/// which the waiting task is removed. So a cancellation finds either a task that still waits, or a task that already
/// has its message; no message is lost.
final class Inbox<Element: Sendable>: Sendable {
    /// The result of an attempt to take a message.
    private enum Taken {
        case element(Element)
        case empty
        case finished
    }

    /// The number of bytes at which the buffer is full, even with fewer messages than `limit`.
    private static var byteLimit: Int { 4 << 20 }

    private struct State {
        /// The next messages, in reverse order, so that the next message is at the end and its removal is cheap.
        var front: [Element] = []
        var frontBytes = 0
        /// Messages received since `front` was filled, in order.
        var back: [Element] = []
        var backBytes = 0
        var waiting: CheckedContinuation<Element?, Never>?
        /// Whether the reactor has stopped reading the socket, because the buffer was full.
        var isStalled = false
        var isFinished = false

        var count: Int { front.count + back.count }
        var bytes: Int { frontBytes + backBytes }

        mutating func pop() -> Element? {
            if front.isEmpty {
                guard !back.isEmpty else { return nil }
                swap(&front, &back)
                front.reverse()
                (frontBytes, backBytes) = (backBytes, 0)
            }
            let element = front.popLast()
            if front.isEmpty { frontBytes = 0 }
            return element
        }
    }

    private let state = Guarded(State())
    private let limit: Int
    private let askForMore: @Sendable () -> Void

    /// Makes an empty buffer.
    ///
    /// - Parameters:
    ///   - limit: The number of messages at which the buffer is full.
    ///   - askForMore: Called when the buffer was full and is now at most half full.
    init(limit: Int, askForMore: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.askForMore = askForMore
    }
}

// MARK: - The reactor's side

extension Inbox {
    /// Adds a batch of messages, and empties the array.
    ///
    /// - Returns: Whether the buffer has room for more messages; if not, `askForMore` is called when the buffer is at
    ///   most half full.
    func deliver(_ batch: inout [Element], bytes: Int) -> Bool {
        let (waiter, element, hasRoom) = state.withLock { state in
            if state.back.isEmpty {
                swap(&state.back, &batch)
            } else {
                state.back.append(contentsOf: batch)
            }
            state.backBytes += bytes
            var handed: (CheckedContinuation<Element?, Never>?, Element?) = (nil, nil)
            if let waiter = state.waiting, let element = state.pop() {
                handed = (waiter, element)
                state.waiting = nil
            }
            state.isStalled = state.count >= limit || state.bytes >= Self.byteLimit
            return (handed.0, handed.1, !state.isStalled)
        }
        batch.removeAll(keepingCapacity: true)
        waiter?.resume(returning: element)
        return hasRoom
    }

    /// Ends the sequence; the buffered messages are still delivered.
    func finish() {
        let waiter = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiter?.resume(returning: nil)
    }
}

// MARK: - The task's side

extension Inbox {
    /// Takes the next message, and waits for it if the buffer is empty.
    ///
    /// - Returns: The message. Nil if the buffer is empty and the sequence has ended or the task is cancelled.
    func next(isolation: isolated (any Actor)?) async -> Element? {
        let (taken, hasRoomAgain) = state.withLock { take(from: &$0) }
        if hasRoomAgain { askForMore() }
        switch taken {
        case .element(let element): return element
        case .finished: return nil
        case .empty: return await wait(isolation: isolation)
        }
    }

    private func wait(isolation: isolated (any Actor)?) async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: isolation) { wait($0) }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiting = nil }
                return state.waiting
            }
            waiter?.resume(returning: nil)
        }
    }

    private func wait(_ waiter: CheckedContinuation<Element?, Never>) {
        let (taken, hasRoomAgain) = state.withLock { state in
            let (taken, hasRoomAgain) = take(from: &state)
            // A task is marked as cancelled before its handler runs: either this code sees the mark, or the handler
            // sees the wait.
            if case .empty = taken, !Task.isCancelled {
                if state.waiting != nil {
                    fatalError("Two tasks wait for the same message sequence; let only one task at a time read it.")
                }
                state.waiting = waiter
                return (nil as Taken?, false)
            }
            return (taken, hasRoomAgain)
        }
        guard let taken else { return }
        if hasRoomAgain { askForMore() }
        if case .element(let element) = taken {
            waiter.resume(returning: element)
        } else {
            waiter.resume(returning: nil)
        }
    }

    private func take(from state: inout State) -> (Taken, hasRoomAgain: Bool) {
        guard let element = state.pop() else { return (state.isFinished ? .finished : .empty, false) }
        // The reactor continues only when the buffer is half empty. If it continued just below the limit, every message
        // would wake the reactor.
        guard state.isStalled, state.count <= limit / 2, state.bytes <= Self.byteLimit / 2 else {
            return (.element(element), false)
        }
        state.isStalled = false
        return (.element(element), true)
    }
}
