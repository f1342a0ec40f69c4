import ForgeLocks

/// A queue of commands from other threads to the reactor, with a flag that shows whether the reactor sleeps.
///
/// One lock guards the flag and the queue, so either the reactor sees a command before it sleeps, or the sender sees
/// the flag and wakes the reactor. No wake is lost, and a command for an awake reactor costs no system call.
final class Mailbox: Sendable {
    /// One command for the reactor thread.
    enum Command: Sendable {
        case work(@Sendable (isolated Reactor) -> Void)
        /// A piece of a Swift task that is isolated to the reactor.
        case job(UnownedJob)
    }

    /// The request to end the reactor, with all callers of `shutDown` that wait for the end.
    struct Stop: Sendable {
        let flushing: Duration
        var waiting: [CheckedContinuation<Void, Never>]
    }

    private enum Phase {
        case open
        /// New work is refused; jobs still run, because tasks await them.
        case stopping(Stop)
        /// The thread accepts no more commands, but may still exist.
        case ended([CheckedContinuation<Void, Never>])
        /// The thread has ended and was joined.
        case joined
    }

    private struct State {
        var commands: [Command] = []
        var isAsleep = false
        var phase = Phase.open
        /// How often a sleeping reactor was woken.
        var wakes = 0

        /// Whether a command or a stop request is waiting.
        var hasNews: Bool {
            if case .open = phase { !commands.isEmpty } else { true }
        }
    }

    let wake: WakeSignal
    private let state = Guarded(State())

    /// The fork count of the process that made the mailbox; a forked child has another count (`ForkGuard`).
    private let generation: UInt

    init() throws(ZeroMQError) {
        ForkGuard.install()
        generation = ForkGuard.generation
        wake = try WakeSignal()
    }

    /// Queues work.
    ///
    /// - Returns: Whether the work will run; false after a stop request.
    func post(_ work: @escaping @Sendable (isolated Reactor) -> Void) -> Bool {
        ForkGuard.check(generation)
        return state.withLock { state in
            guard case .open = state.phase else { return false }
            state.commands.append(.work(work))
            rouse(&state)
            return true
        }
    }

    /// Queues a job.
    ///
    /// - Returns: Whether the thread will run the job; false after the thread has ended.
    func post(_ job: UnownedJob) -> Bool {
        ForkGuard.check(generation)
        return state.withLock { state in
            switch state.phase {
            case .ended, .joined:
                return false
            case .open, .stopping:
                state.commands.append(.job(job))
                rouse(&state)
                return true
            }
        }
    }

    /// Moves all queued commands into an empty buffer, and marks the reactor as awake.
    func collect(into buffer: inout [Command]) {
        state.withLock { state in
            state.isAsleep = false
            swap(&state.commands, &buffer)
        }
    }

    /// Marks the reactor as about to sleep.
    ///
    /// - Returns: Whether the reactor may sleep; false if a command or a stop request is waiting.
    func fallAsleep() -> Bool {
        state.withLock { state in
            guard !state.hasNews else { return false }
            state.isAsleep = true
            return true
        }
    }

    /// Whether a command or a stop request is waiting.
    var hasNews: Bool { state.withLock { $0.hasNews } }

    /// Whether the reactor sleeps, or is about to; for tests.
    var isAsleep: Bool { state.withLock { $0.isAsleep } }

    /// How often a sleeping reactor was woken; for tests.
    var wakes: Int { state.withLock { $0.wakes } }

    private func rouse(_ state: inout State) {
        guard state.isAsleep else { return }
        state.isAsleep = false
        state.wakes += 1
        wake.raise()
    }
}

// MARK: - The end

extension Mailbox {
    /// How long the sockets may take to send their queues; nil before a stop request.
    var stopFlushing: Duration? {
        state.withLock { state in
            if case .stopping(let stop) = state.phase { stop.flushing } else { nil }
        }
    }

    /// Requests the end of the reactor, and resumes the continuation when the thread has ended.
    ///
    /// Only the first caller's `flushing` is used.
    func stop(flushing: Duration, _ continuation: CheckedContinuation<Void, Never>) {
        ForkGuard.check(generation)
        let isOver = state.withLock { state in
            switch state.phase {
            case .open:
                state.phase = .stopping(Stop(flushing: flushing, waiting: [continuation]))
                rouse(&state)
            case .stopping(var stop):
                stop.waiting.append(continuation)
                state.phase = .stopping(stop)
            case .ended(let waiting):
                state.phase = .ended(waiting + [continuation])
            case .joined:
                return true
            }
            return false
        }
        if isOver { continuation.resume() }
    }

    /// Closes the mailbox, unless a command is queued.
    ///
    /// - Returns: Whether the mailbox was closed; later jobs then run on a dispatch queue.
    func end() -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty, case .stopping(let stop) = state.phase else { return false }
            state.phase = .ended(stop.waiting)
            state.commands = []
            wake.dispose()
            return true
        }
    }

    /// Records that the thread was joined, and resumes all callers of `shutDown`.
    func joined() {
        let waiting = state.withLock { state in
            guard case .ended(let waiting) = state.phase else { return [CheckedContinuation<Void, Never>]() }
            state.phase = .joined
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
