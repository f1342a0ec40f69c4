/// How a socket behaves: limits, times and reconnection, in types that carry their unit.
///
/// Options are given when a socket is opened, before anything is connected, because libzmq ignores most of them later.
/// Start from what suits the kind (``router``, ``dealer``, ``pair``, ``publisher``, ``subscriber``) and change what you
/// need:
///
/// ```swift
/// import ZeroMQ
///
/// var options = SocketOptions.dealer
/// options.sendHighWaterMark = 1_000
/// ```
public struct SocketOptions: Hashable, Sendable {
    /// How long messages that were sent but not yet transmitted are kept after closing.
    public var linger: Duration = .seconds(2)

    /// Messages queued for sending to one peer before the socket says ``SendOutcome/full``; 0 means no limit.
    public var sendHighWaterMark = 256

    /// Messages from one peer queued for receiving before the peer is made to wait; 0 means no limit.
    public var receiveHighWaterMark = 256

    /// The bytes one frame may have; a peer that sends a larger one is disconnected.
    ///
    /// Without it nine bytes from a stranger reserve gigabytes, so there is no "unlimited".
    public var maximumMessageSize = 1 << 20

    /// The bytes, about, that a message of several frames may have in all, each frame with 16 more; a larger one is
    /// discarded.
    ///
    /// libzmq has put a message together before anybody sees it, and knows no limit for that: what this bounds is what the
    /// program takes of it. A message of one frame may have as many bytes as ``maximumMessageSize`` says.
    public var maximumMultipartSize = 64 << 20

    /// How long a connection may take to become one; then it is closed.
    public var handshakeInterval: Duration = .seconds(5)

    /// How silent connections are probed; nil, the default, leaves that to ``tcpKeepAlive``.
    ///
    /// For sockets whose messages are always taken at once. Whoever pauses a socket, or reads a sequence slowly, lets
    /// reception stop, and libzmq then reads no answers to its probes either: it gives a healthy connection up, and the
    /// messages on it are lost.
    public var heartbeats: Heartbeats?

    /// How long after a lost connection the first attempt to reconnect comes; jittered by libzmq.
    public var reconnectInterval: Duration = .milliseconds(250)

    /// Up to where the interval between attempts doubles.
    public var maximumReconnectInterval: Duration = .seconds(30)

    /// How long one attempt to connect may take; zero leaves it to the operating system, which takes minutes.
    public var connectTimeout: Duration = .seconds(5)

    /// Whether messages are queued only for connections that are up.
    ///
    /// With `true` a ``Dealer`` without a connection says ``SendOutcome/full`` and the sender keeps the message; with
    /// `false` it fills a queue that is lost if the connection never comes. It is off by default, because libzmq 4.3.4
    /// with `true` drops what a peer sent just before it closed, and ends the process when it has handed over only some
    /// frames of that.
    public var immediate = false

    /// Connections the operating system may hold that were not accepted yet.
    public var backlog = 1024

    /// How the operating system probes idle TCP connections; nil leaves it to the system's settings.
    public var tcpKeepAlive: TCPKeepAlive? = TCPKeepAlive()

    /// Whether host names may resolve to IPv6; endpoints with an IPv6 literal need not say so.
    public var ipv6 = false

    /// What a ``Router`` keeps for peers whose queues are full.
    public var outbox = OutboxLimits()

    /// How long a listener may fail to accept connections, for want of descriptors, before it is closed for a while.
    ///
    /// A listener that cannot accept keeps a whole processor busy. What it accepted before is disconnected, too, when
    /// it is closed; it is bound again after a pause that doubles from one second to thirty.
    public var acceptFailurePatience: Duration = .seconds(1)

    /// The values every kind shares.
    private init() {}

    /// Small frames find room beside the largest one; and no message may have 4 GiB, whatever the options say.
    var mostBytesOfAMessage: Int {
        let small = 64 << 10
        return min(max(maximumMultipartSize, maximumMessageSize), Int(UInt32.max) - small) + small
    }

    /// For a ``Router`` that serves many clients.
    public static let router = SocketOptions()

    /// For a ``Dealer`` that is a client.
    public static let dealer: SocketOptions = {
        var options = SocketOptions()
        options.handshakeInterval = .seconds(10)
        return options
    }()

    /// For a ``Pair``.
    public static let pair = SocketOptions()

    /// For a ``Pub`` or an ``XPub``: 10,000 messages a subscriber, subscriptions without a limit.
    ///
    /// A limit for subscriptions would make libzmq drop them silently.
    public static let publisher: SocketOptions = {
        var options = SocketOptions()
        options.sendHighWaterMark = 10_000
        options.receiveHighWaterMark = 0
        options.linger = .zero
        return options
    }()

    /// For a ``Sub`` or an ``XSub``: 10,000 messages a publisher, subscriptions without a limit.
    ///
    /// With a limit, 1,000 of 5,000 subscriptions reached the publisher.
    public static let subscriber: SocketOptions = {
        var options = SocketOptions()
        options.sendHighWaterMark = 0
        options.receiveHighWaterMark = 10_000
        options.handshakeInterval = .seconds(10)
        options.linger = .zero
        return options
    }()
}

/// How a connection is probed by ZeroMQ itself.
///
/// Probes are answered by the peer's I/O thread: they prove the connection, not that the program behind it lives. They
/// notice a peer whose machine is gone in seconds, where TCP takes half a minute, or a quarter of an hour if something
/// is being sent.
public struct Heartbeats: Hashable, Sendable {
    /// How often a connection is probed.
    public var interval: Duration

    /// How long after a probe without an answer the connection is given up.
    public var timeout: Duration

    /// How long the peer keeps the connection without hearing from us; counted in tenths of a second.
    public var timeToLive: Duration

    /// Probes of a connection.
    ///
    /// - Parameters:
    ///   - interval: How often a connection is probed.
    ///   - timeout: How long after a probe without an answer the connection is given up.
    ///   - timeToLive: How long the peer keeps the connection without hearing from us.
    public init(
        interval: Duration = .seconds(2),
        timeout: Duration = .seconds(6),
        timeToLive: Duration = .seconds(6)
    ) {
        self.interval = interval
        self.timeout = timeout
        self.timeToLive = timeToLive
    }
}

/// How the operating system probes an idle TCP connection.
public struct TCPKeepAlive: Hashable, Sendable {
    /// How long a connection is idle before the first probe; counted in seconds.
    public var idle: Duration

    /// The time between probes; counted in seconds.
    public var interval: Duration

    /// The unanswered probes after which the connection is closed.
    public var count: Int

    /// Probes of a connection.
    ///
    /// - Parameters:
    ///   - idle: How long a connection is idle before the first probe.
    ///   - interval: The time between probes.
    ///   - count: The unanswered probes after which the connection is closed.
    public init(idle: Duration = .seconds(10), interval: Duration = .seconds(5), count: Int = 4) {
        self.idle = idle
        self.interval = interval
        self.count = count
    }
}
