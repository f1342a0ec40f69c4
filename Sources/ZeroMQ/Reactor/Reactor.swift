import CZeroMQ

/// An actor with its own thread, which owns ZeroMQ sockets.
///
/// libzmq permits only one thread to use a socket. A reactor's methods and handlers all run on the reactor's thread,
/// and the compiler refuses any other access to the reactor's sockets. The thread works in turns: it waits for work,
/// then handles sockets, commands and timers. Without work the thread sleeps in `zmq_poll`, immediately or after
/// ``ReactorOptions/busyPolling``.
///
/// There are two ways to use a reactor:
/// - **Control:** await the methods that open, bind, connect and close sockets, as with any actor.
/// - **Data:** `receive` calls a handler on the reactor's thread for each message, and the handler may send
///   immediately. `messages` passes the messages to a task instead, with back-pressure.
///
/// A reactor's thread keeps the reactor alive until ``shutDown(flushing:)``, even without other references. A forked
/// child process must not use a reactor of its parent.
public actor Reactor {
    /// The executor that runs the actor's jobs on the reactor's thread.
    nonisolated let executor: ReactorExecutor

    let options: ReactorOptions
    let shared: SharedContext
    let reader = FrameReader()
    let sockets = SocketTable()
    var timers = TimerQueue<() -> Void>()
    var waits = Waits()
    /// The answers that tasks wait for and have not taken yet.
    var answers: [WaitID: Message] = [:]
    var turnEndWork: [() -> Void] = []
    /// The closures to call when large messages have left, by number.
    var departures: [UInt64: () -> Void] = [:]
    var lastDeparture: UInt64 = 0
    let pollSet: PollSet

    /// The buffer for a turn's commands; the reactor keeps the buffer, so that a turn does not allocate one.
    var commands: [Mailbox.Command] = []
    /// The buffer for the messages that a turn takes for tasks; the reactor keeps it, so that a turn does not allocate one.
    var batch: [Message] = []
    /// The buffer for the targets that are ready in a turn; the reactor keeps it, so that a turn does not allocate one.
    var ready: [(target: PollSet.Target, events: Int16)] = []

    /// The time until which the reactor polls without sleeping, because work is about to arrive; nil if it may sleep.
    var awakeUntil: ContinuousClock.Instant?

    /// Whether the reactor is shutting down, so that no socket can be opened.
    var isClosed = false

    /// Whether the reactor has the authenticator of its context.
    var hasAuthenticator = false

    /// Starts a reactor with its own thread.
    ///
    /// - Parameters:
    ///   - label: The thread's name; the operating system keeps the first 15 bytes.
    ///   - options: The reactor's limits, and how its thread divides its time among the sockets.
    ///   - other: A reactor whose libzmq context this one shares, with its I/O threads, its limit of sockets, its `inproc`
    ///     names and its authenticator; nil for a context of its own. The last of them to shut down waits for what their
    ///     closed sockets have not sent.
    /// - Throws: ``ZeroMQError``: `too_many_descriptors` if no descriptor is left, `system` if the thread cannot be
    ///   started, `invalid_option` for an option outside its range, or `closed` if the context of the other one has ended.
    public init(
        label: String,
        options: ReactorOptions = ReactorOptions(),
        sharing other: Reactor? = nil
    ) throws(ZeroMQError) {
        if options.busyPolling < .zero { throw Errors.busyPolling(options.busyPolling) }
        self.options = options
        executor = try ReactorExecutor(label: label)
        pollSet = PollSet(wake: executor.mailbox.wake.readable)
        do throws(ZeroMQError) {
            if let other {
                guard other.shared.join() else { throw Errors.reactorClosed }
                shared = other.shared
            } else {
                shared = try SharedContext(options)
            }
        } catch {
            executor.mailbox.wake.dispose()
            throw error
        }
        do throws(ZeroMQError) { try executor.start(self, label: label) } catch {
            executor.mailbox.wake.dispose()
            shared.leave()
            throw error
        }
    }

    /// The executor that runs the actor's jobs on the reactor's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Queues a closure that runs on the reactor's thread as soon as possible; any thread may call this method.
    ///
    /// Closures run in the order of submission. A call holds a lock for a short time, and makes a system call only if
    /// the reactor sleeps or is about to sleep.
    ///
    /// - Parameter work: The closure; it must not block.
    /// - Returns: Whether the closure will run: false after ``shutDown(flushing:)`` was called.
    @discardableResult
    public nonisolated func submit(_ work: @escaping @Sendable (isolated Reactor) -> Void) -> Bool {
        executor.mailbox.post(work)
    }

    /// Runs a closure on the reactor's thread, and returns its result.
    ///
    /// Inside, the reactor's methods need no `await`, and handlers may use what the closure makes.
    ///
    /// - Parameter body: The closure; it must not block.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public func run<Value: Sendable, Failure: Error>(
        _ body: @Sendable (isolated Reactor) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(self)
    }

    /// Runs a closure on the reactor's thread at a given time.
    ///
    /// The closure never runs early. It runs up to a millisecond late, or later if the thread is busy.
    ///
    /// - Parameters:
    ///   - deadline: When to run the closure; a time in the past means the next turn.
    ///   - work: The closure; it must not block.
    /// - Returns: An id for ``cancel(_:)``.
    @discardableResult
    public func schedule(
        at deadline: ContinuousClock.Instant,
        _ work: @escaping () -> Void
    ) -> TimerID {
        timers.schedule(at: deadline, work)
    }

    /// Cancels scheduled work; does nothing if the work has already run.
    ///
    /// - Parameter timer: The id that ``schedule(at:_:)`` returned.
    public func cancel(_ timer: TimerID) {
        timers.cancel(timer)
    }

    /// Makes the reactor poll without sleeping until a deadline, because another thread is about to submit work.
    ///
    /// Use this method if the work will arrive in about the time that a sleeping thread needs to wake up. The effect is
    /// the same as that of ``ReactorOptions/busyPolling``, until the deadline.
    ///
    /// - Parameter deadline: When the reactor may sleep again; a later call replaces the deadline.
    public func stayAwake(until deadline: ContinuousClock.Instant) { awakeUntil = deadline }

    /// Adds a handler that is called at the end of each turn until the reactor shuts down.
    ///
    /// A turn handles messages, connection events and watched descriptors, then commands, then timers. Use the handler
    /// to send output that other handlers have collected in the turn.
    ///
    /// - Parameter handler: Called on the reactor's thread; it must not block.
    public func onTurnEnd(_ handler: @escaping () -> Void) {
        turnEndWork.append(handler)
    }
}
