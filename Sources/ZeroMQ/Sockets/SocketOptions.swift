/// How a socket behaves: limits, times and reconnection, in types that carry their unit.
///
/// Options are given when a socket is opened, before anything is connected, because libzmq ignores most of them later.
/// Start from ``router`` or ``dealer`` and change what you need:
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

    /// How long a connection may take to become one; then it is closed.
    public var handshakeInterval: Duration = .seconds(5)

    /// How often a silent connection is probed; zero turns probing off.
    ///
    /// The probes are answered by the peer's I/O thread: they prove the connection, not that the program behind it
    /// lives.
    public var heartbeatInterval: Duration = .seconds(2)

    /// How long after a probe the connection is given up.
    public var heartbeatTimeout: Duration = .seconds(6)

    /// How long the peer keeps the connection without hearing from us; counted in tenths of a second.
    public var heartbeatTimeToLive: Duration = .seconds(6)

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

    /// The values every kind shares.
    private init() {}

    /// For a ``Router`` that serves many clients.
    public static let router = SocketOptions()

    /// For a ``Dealer`` that is a client.
    public static let dealer: SocketOptions = {
        var options = SocketOptions()
        options.handshakeInterval = .seconds(10)
        return options
    }()
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
    public init(idle: Duration = .seconds(60), interval: Duration = .seconds(15), count: Int = 4) {
        self.idle = idle
        self.interval = interval
        self.count = count
    }
}
