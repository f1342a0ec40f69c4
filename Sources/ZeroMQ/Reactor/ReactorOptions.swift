/// The options of a reactor: its threads and limits, and how its thread divides its time among the sockets.
public struct ReactorOptions: Hashable, Sendable {
    /// The number of libzmq's I/O threads, at least 1; one thread transfers about 1 GB per second without encryption.
    public var ioThreads = 1

    /// The maximum number of sockets that the reactor may have open, at least 1.
    ///
    /// A socket that listens outside `inproc`, or that has an event handler, counts as three sockets.
    public var maximumSockets = 1023

    /// The number of open files that the process needs; the reactor raises the process's limit if the system allows it.
    public var openFiles = 65_536

    /// The maximum number of messages taken from one socket before other sockets, timers and commands are served.
    public var messagesPerTurn = 256

    /// The maximum number of bytes taken from one socket in a turn; the message that reaches the limit is the last.
    public var bytesPerTurn = 1 << 20

    /// How long the thread polls for work before it sleeps: zero, the default, or more.
    ///
    /// If work arrives within this time, the thread is still awake, and the work starts 10 to 50 µs earlier. In return,
    /// the thread uses up to this much processor time before each sleep.
    public var busyPolling = Duration.zero

    /// Makes the default options, which suit a worker with a few sockets.
    public init() {}
}
