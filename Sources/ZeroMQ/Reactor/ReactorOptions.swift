/// How a reactor shares its thread out.
public struct ReactorOptions: Hashable, Sendable {
    /// Threads of libzmq that move bytes; one carries a gigabyte a second in clear.
    public var ioThreads = 1

    /// Sockets the reactor may have at the same time.
    public var maximumSockets = 1023

    /// Open files the process should be allowed to have; its limit is raised to this where the system lets it.
    public var openFiles = 65_536

    /// Messages taken from one socket in a turn before other sockets, timers and commands get theirs.
    public var messagesPerTurn = 256

    /// Bytes taken from one socket in a turn; the message that reaches the limit is the last.
    public var bytesPerTurn = 1 << 20

    /// How long the thread looks again and again for something to do before it sleeps: zero, the default, or more.
    ///
    /// Whoever answers within that time finds it awake, which saves a wake of 10 to 50 µs. It costs at most this much of a
    /// processor each time that the thread goes to sleep; an idle reactor sleeps.
    public var busyPolling = Duration.zero

    /// The defaults, which suit a worker with a handful of sockets.
    public init() {}
}
