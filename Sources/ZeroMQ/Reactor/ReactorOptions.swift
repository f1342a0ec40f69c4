/// How a reactor shares out its thread.
public struct ReactorOptions: Hashable, Sendable {
    /// libzmq's threads that move bytes; one carries a gigabyte a second without encryption.
    public var ioThreads = 1

    /// The most sockets the reactor may have open.
    public var maximumSockets = 1023

    /// The open files the process needs; the reactor raises the process's limit to this if the system allows it.
    public var openFiles = 65_536

    /// Messages taken from one socket in a turn before other sockets, timers and commands get theirs.
    public var messagesPerTurn = 256

    /// Bytes taken from one socket in a turn; the message that reaches the limit is the last.
    public var bytesPerTurn = 1 << 20

    /// How long the thread polls for work before it sleeps: zero, the default, or more.
    ///
    /// An answer within that time finds the thread awake, which saves a wake of 10 to 50 µs. It costs at most this much
    /// processor time each time the thread goes to sleep; an idle reactor sleeps.
    public var busyPolling = Duration.zero

    /// The defaults, which suit a worker with a handful of sockets.
    public init() {}
}
