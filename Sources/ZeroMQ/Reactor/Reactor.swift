import CZeroMQ

/// One thread that owns its sockets, as an actor.
///
/// libzmq wants each socket on one thread. A reactor is that thread: awaiting one of its methods runs there, a handler
/// given to it is called there, and everything else is refused by the compiler. It sleeps in `zmq_poll` while there is
/// nothing to do, at once or after ``ReactorOptions/busyPolling``.
///
/// There are two ways in:
/// - **Control** (opening, binding, closing) is awaited like any actor.
/// - **Data** stays on the thread: `receive` calls a handler for each message, and the handler may send at once.
///   `messages` hands messages to a task, with back-pressure.
///
/// A reactor lives until ``shutDown(flushing:)``, also when nobody refers to it any more: its thread does. It must not
/// be used in a process that was forked from the one that made it.
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

    /// Until when it looks for work before it sleeps, because some is on its way.
    var awakeUntil: ContinuousClock.Instant?

    /// Nothing can be opened any more.
    var isClosed = false

    /// Somebody decides about the keys of connecting peers.
    var hasAuthenticator = false

    /// Starts a reactor with its thread and its context.
    ///
    /// - Parameters:
    ///   - label: The thread's name; the operating system keeps its first 15 bytes.
    ///   - options: How the thread is shared out.
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

    /// Runs a piece of work on the reactor's thread, soon; callable from any thread.
    ///
    /// Work is run in the order of submission. This takes one short lock, and one system call only when the reactor was
    /// about to sleep.
    ///
    /// - Parameter work: What to run; it must not block.
    /// - Returns: Whether it will be run: false once ``shutDown(flushing:)`` was called.
    @discardableResult
    public nonisolated func submit(_ work: @escaping @Sendable (isolated Reactor) -> Void) -> Bool {
        executor.mailbox.post(work)
    }

    /// Runs a piece of work at a time, or up to a millisecond later.
    ///
    /// - Parameters:
    ///   - deadline: When; what lies in the past runs in the next turn.
    ///   - work: What to run; it must not block.
    /// - Returns: A name to cancel it by.
    @discardableResult
    public func schedule(
        at deadline: ContinuousClock.Instant,
        _ work: @escaping @Sendable (isolated Reactor) -> Void
    ) -> TimerID {
        timers.schedule(at: deadline, work)
    }

    /// Cancels scheduled work; harmless when it has run.
    ///
    /// - Parameter timer: What ``schedule(at:_:)`` returned.
    public func cancel(_ timer: TimerID) {
        timers.cancel(timer)
    }

    /// Has the reactor look for work instead of sleeping, until then, because another thread is about to submit some.
    ///
    /// The same as ``ReactorOptions/busyPolling``, for work that is done about as soon as a sleeping thread is awake.
    ///
    /// - Parameter deadline: Until when, at most; a later call's replaces it.
    public func stayAwake(until deadline: ContinuousClock.Instant) { awakeUntil = deadline }

    /// Calls a handler at the end of each turn, for as long as the reactor lives.
    ///
    /// A turn takes what has come in on all sockets, then commands and timers. Its end is the place to flush what they
    /// produced.
    ///
    /// - Parameter handler: What to call; it must not block.
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
