import DequeModule
import ForgeLocks

/// A bounded buffer for the messages of one socket: the reactor adds batches of messages, and tasks take messages out.
///
/// A socket has one inbox for its life, so a message that was read ahead is never lost. One lock guards the whole state.
/// A message for a waiting task leaves the buffer in the same critical section in which the waiting task is removed. So a
/// cancellation or a deadline finds either a task that still waits, or a task that already has its message.
final class Inbox: Sendable {
    /// How the wait for a message ended.
    enum Received: Sendable {
        case message(Message)
        /// The socket is closed, or a handler has taken the place of the waiting tasks.
        case finished
        case cancelled
        case late
    }

    /// The number of bytes at which the buffer is full, even with fewer messages than `limit`.
    private static let byteLimit = 4 << 20

    private struct Waiter {
        let number: UInt64
        let continuation: CheckedContinuation<Received, Never>
    }

    private struct State {
        /// The next messages, in reverse order, so that the next message is at the end and its removal is cheap.
        var front: [Message] = []
        var frontBytes = 0
        /// Messages received since `front` was filled, in order.
        var back: [Message] = []
        var backBytes = 0
        /// The tasks that wait for a message, in order; empty while there are messages.
        var waiters: Deque<Waiter> = []
        var lastWaiter: UInt64 = 0
        /// Whether the reactor reads the socket into the buffer, or has stopped only because the buffer is full.
        var isFed = false
        /// Whether the reactor has stopped reading the socket, because the buffer was full.
        var isStalled = false
        var isFinished = false

        var count: Int { front.count + back.count }
        var bytes: Int { frontBytes + backBytes }

        mutating func pop() -> Message? {
            if front.isEmpty {
                guard !back.isEmpty else { return nil }
                swap(&front, &back)
                front.reverse()
                (frontBytes, backBytes) = (backBytes, 0)
            }
            let message = front.popLast()
            if front.isEmpty { frontBytes = 0 }
            return message
        }
    }

    private let state = Guarded(State())
    private let limit: Int
    /// Whether only the latest message is kept.
    private let keepsLatest: Bool
    private let askForMore: @Sendable () -> Void

    /// Makes an empty buffer.
    ///
    /// - Parameters:
    ///   - limit: The number of messages at which the buffer is full; a limit below 1 counts as 1.
    ///   - keepsLatest: Whether only the latest message is kept.
    ///   - askForMore: Called when a task first wants a message, and when the buffer was full and is at most half full.
    init(limit: Int, keepsLatest: Bool = false, askForMore: @escaping @Sendable () -> Void) {
        self.limit = max(limit, 1)
        self.keepsLatest = keepsLatest
        self.askForMore = askForMore
    }
}

// MARK: - The reactor's side

extension Inbox {
    /// Adds a batch of messages, and empties the array.
    ///
    /// - Returns: Whether the buffer has room for more messages; if not, `askForMore` is called when the buffer is at
    ///   most half full.
    func deliver(_ batch: inout [Message], bytes: Int) -> Bool {
        let (handed, hasRoom) = state.withLock { state in
            if state.back.isEmpty {
                swap(&state.back, &batch)
            } else {
                state.back.append(contentsOf: batch)
            }
            state.backBytes += bytes
            if keepsLatest, let last = state.back.last ?? state.front.first {
                (state.front, state.frontBytes) = ([], 0)
                (state.back, state.backBytes) = ([last], last.sizeInBytes)
            }
            var handed: [(Waiter, Message)] = []
            while !state.waiters.isEmpty, let message = state.pop() {
                handed.append((state.waiters.removeFirst(), message))
            }
            state.isStalled = !keepsLatest && state.count >= limit || state.bytes >= Self.byteLimit
            return (handed, !state.isStalled)
        }
        batch.removeAll(keepingCapacity: true)
        for (waiter, message) in handed { waiter.continuation.resume(returning: .message(message)) }
        return hasRoom
    }

    /// Whether the reactor reads the socket into the buffer.
    var isFed: Bool { state.withLock { $0.isFed } }

    /// Whether no task waits for a message; for tests.
    var isUnawaited: Bool { state.withLock { $0.waiters.isEmpty } }

    /// Records that the reactor reads the socket ahead, although no task has asked for a message.
    func feed() { state.withLock { $0.isFed = true } }

    /// Ends all waits, because the socket is closed; the buffered messages can still be taken.
    func finish() { end { $0.isFinished = true } }

    /// Ends all waits, because a handler gets the messages from now on.
    ///
    /// - Returns: The buffered messages, which the handler must get first.
    func yield() -> [Message] {
        var left: [Message] = []
        end { state in
            state.isFed = false
            state.isStalled = false
            while let message = state.pop() { left.append(message) }
        }
        return left
    }

    private func end(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            return exchange(&state.waiters, with: [])
        }
        for waiter in waiters { waiter.continuation.resume(returning: .finished) }
    }
}

// MARK: - The tasks' side

extension Inbox {
    /// Takes the next message, and waits for it if the buffer is empty; tasks get messages in the order of their calls.
    ///
    /// - Parameters:
    ///   - isolation: The caller's isolation.
    ///   - began: Called with the number of the wait, for ``end(_:_:)``, if the task has to wait.
    /// - Returns: The message, or why there is none.
    func receive(isolation: isolated (any Actor)?, _ began: (UInt64) -> Void = { _ in }) async -> Received {
        let (taken, number, asks) = state.withLock { state in
            let (taken, hasRoomAgain) = take(from: &state)
            let begins = !state.isFed && !state.isFinished
            state.isFed = true
            if taken == nil { state.lastWaiter += 1 }
            return (taken, state.lastWaiter, begins || hasRoomAgain)
        }
        if asks { askForMore() }
        if let taken { return taken }
        return await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: isolation) { continuation in
                wait(Waiter(number: number, continuation: continuation))
                began(number)
            }
        } onCancel: {
            end(number, .cancelled)
        }
    }

    /// Ends a wait, unless it has ended.
    func end(_ number: UInt64, _ received: Received) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: received)
    }

    private func wait(_ waiter: Waiter) {
        let (taken, hasRoomAgain) = state.withLock { state in
            let (taken, hasRoomAgain) = take(from: &state)
            // A task is marked as cancelled before its handler runs: either this code sees the mark, or the handler
            // sees the wait.
            if taken == nil, !Task.isCancelled {
                state.waiters.append(waiter)
                return (nil as Received?, false)
            }
            return (taken ?? .cancelled, hasRoomAgain)
        }
        guard let taken else { return }
        if hasRoomAgain { askForMore() }
        waiter.continuation.resume(returning: taken)
    }

    private func take(from state: inout State) -> (Received?, hasRoomAgain: Bool) {
        guard let message = state.pop() else { return (state.isFinished ? .finished : nil, false) }
        // The reactor continues only when the buffer is half empty. If it continued just below the limit, every message
        // would wake the reactor.
        guard state.isStalled, state.count <= limit / 2, state.bytes <= Self.byteLimit / 2 else {
            return (.message(message), false)
        }
        state.isStalled = false
        return (.message(message), true)
    }
}
