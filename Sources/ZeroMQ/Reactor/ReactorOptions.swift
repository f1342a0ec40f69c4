/// The options of a reactor: its threads and limits, and how its thread divides its time among the sockets.
public struct ReactorOptions: Hashable, Sendable {
    /// The number of libzmq's I/O threads, at least 1; one thread transfers about 1 GB per second without encryption.
    public var ioThreads = 1

    /// The maximum number of sockets that the reactor may have open, at least 1.
    ///
    /// A socket that listens on `tcp` or `ipc`, or that has an event handler, counts as three sockets, because libzmq
    /// needs two more sockets to report its events.
    public var maximumSockets = 1023

    /// The maximum number of messages taken from one socket before other sockets, timers and commands are served.
    public var messagesPerTurn = 256

    /// The number of bytes after which no more messages are taken from one socket in a turn.
    ///
    /// The last message may exceed the limit.
    public var bytesPerTurn = 1 << 20

    /// The time after which no more messages are taken from one socket in a turn; nil, the default, sets no limit.
    ///
    /// With a limit, messages that take long to handle do not delay other sockets much. The reactor reads the clock only
    /// for one message in eight, so a turn may take up to eight messages more.
    public var timePerTurn: Duration?

    /// How long the reactor's thread polls for work before it sleeps; zero, the default, means that it does not poll.
    ///
    /// If work arrives within this time, the thread is still awake, and the work starts 10 to 50 µs earlier than after
    /// a sleep. In return, the thread uses up to this much processor time before each sleep.
    public var busyPolling = Duration.zero

    /// Makes the default options, which suit a worker with a few sockets.
    public init() {}
}
