import CZeroMQ

/// One thread that owns its sockets, as an actor.
///
/// libzmq wants each socket on one thread. A reactor is that thread: its methods and handlers run there, and the
/// compiler refuses all other access. Without work it sleeps in `zmq_poll`, immediately or after
/// ``ReactorOptions/busyPolling``.
///
/// There are two ways in:
/// - **Control** (opening, binding, closing) is awaited like any actor.
/// - **Data** stays on the thread: `receive` calls a handler for each message, and the handler may send immediately.
///   `messages` passes messages to a task, with back-pressure.
///
/// A reactor lives until ``shutDown(flushing:)``, even when no reference to it is left, because its thread lives. A
/// forked child must not use its parent's reactor.
public actor Reactor {
    /// The thread, seen as an executor.
    nonisolated let executor: ReactorExecutor

    let options: ReactorOptions
    let context: UnsafeMutableRawPointer
    let reader = FrameReader()
    let sockets = SocketTable()
    var timers = TimerQueue<@Sendable (isolated Reactor) -> Void>()
    var turnEndWork: [@Sendable (isolated Reactor) -> Void] = []
    let pollSet: PollSet

    /// Buffers of a turn, kept so that a turn allocates nothing.
    var commands: [Mailbox.Command] = []
    var ready: [(target: PollSet.Target, events: Int16)] = []

    /// Until when the reactor polls without sleeping, because work is about to arrive.
    var awakeUntil: ContinuousClock.Instant?

    /// After this, nothing can be opened.
    var isClosed = false

    /// Whether the reactor has an authenticator for the keys of connecting peers.
    var hasAuthenticator = false

    /// Starts a reactor with its thread and its context.
    ///
    /// - Parameters:
    ///   - label: The thread's name; the operating system keeps its first 15 bytes.
    ///   - options: How the reactor shares out its thread.
    /// - Throws: ``ZeroMQError`` with code `too_many_descriptors` or `system` when the operating system has no room for
    ///   it, `invalid_option` for an option out of its range.
    public init(label: String, options: ReactorOptions = ReactorOptions()) throws(ZeroMQError) {
        self.options = options
        DescriptorLimit.raise(to: options.openFiles)
        RoutingChance.begin()
        executor = try ReactorExecutor(label: label)
        guard let context = zmq_ctx_new() else { throw .tooManyDescriptors("The context could not be made") }
        self.context = context
        pollSet = PollSet(wake: executor.mailbox.wake.readable)
        do {
            try Self.configure(context, options)
            try executor.start(self, label: label)
        } catch {
            zmq_ctx_term(context)
            throw error
        }
    }

    /// The reactor's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Runs a closure on the reactor's thread, soon; callable from any thread.
    ///
    /// Closures run in the order of submission. A call takes one short lock, and one system call only when the reactor
    /// was about to sleep.
    ///
    /// - Parameter work: The closure; it must not block.
    /// - Returns: Whether it will run: false after ``shutDown(flushing:)`` was called.
    @discardableResult
    public nonisolated func submit(_ work: @escaping @Sendable (isolated Reactor) -> Void) -> Bool {
        executor.mailbox.post(work)
    }

    /// Runs a closure at a given time, up to a millisecond late.
    ///
    /// - Parameters:
    ///   - deadline: When to run it; a time in the past means the next turn.
    ///   - work: The closure; it must not block.
    /// - Returns: An id for ``cancel(_:)``.
    @discardableResult
    public func schedule(
        at deadline: ContinuousClock.Instant,
        _ work: @escaping @Sendable (isolated Reactor) -> Void
    ) -> TimerID {
        timers.schedule(at: deadline, work)
    }

    /// Cancels scheduled work; harmless after it has run.
    ///
    /// - Parameter timer: The id that ``schedule(at:_:)`` returned.
    public func cancel(_ timer: TimerID) {
        timers.cancel(timer)
    }

    /// Keeps the reactor polling instead of sleeping until a deadline, because another thread is about to submit work.
    ///
    /// The same as ``ReactorOptions/busyPolling``, for work that arrives about as soon as a sleeping thread could wake
    /// up.
    ///
    /// - Parameter deadline: When to stop, at the latest; a later call replaces it.
    public func stayAwake(until deadline: ContinuousClock.Instant) { awakeUntil = deadline }

    /// Calls a handler at the end of each turn, as long as the reactor lives.
    ///
    /// A turn takes the messages of all sockets, then commands and timers. Its end is the place to flush what they
    /// produced.
    ///
    /// - Parameter handler: The handler; it must not block.
    public func onTurnEnd(_ handler: @escaping @Sendable (isolated Reactor) -> Void) {
        turnEndWork.append(handler)
    }

    private static func configure(
        _ context: UnsafeMutableRawPointer,
        _ options: ReactorOptions
    ) throws(ZeroMQError) {
        let settings = [
            (ZMQ_IO_THREADS, "ioThreads", options.ioThreads),
            (ZMQ_MAX_SOCKETS, "maximumSockets", options.maximumSockets),
        ]
        for (option, name, value) in settings {
            guard let number = Int32(exactly: value), value > 0, zmq_ctx_set(context, option, number) == 0 else {
                throw ZeroMQError(
                    .invalidOption,
                    "The reactor option \(name) cannot be \(value).",
                    next: "Give it a number above zero."
                )
            }
        }
        if options.busyPolling < .zero {
            throw ZeroMQError(
                .invalidOption,
                "The reactor option busyPolling cannot be \(options.busyPolling).",
                next: "Give it a time of zero or more."
            )
        }
    }
}
