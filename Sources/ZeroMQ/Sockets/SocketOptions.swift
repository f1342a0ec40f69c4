/// How a socket behaves: limits, times and reconnection, in types that carry their unit.
///
/// Options are given when a socket is opened, because libzmq ignores most of them after connecting. Start from the
/// options of the kind (``router``, ``dealer``, ``pair``, ``publisher``, ``subscriber``) and change what you need:
///
/// ```swift
/// import ZeroMQ
///
/// var options = SocketOptions.dealer
/// options.sendHighWaterMark = 1_000
/// ```
public struct SocketOptions: Hashable, Sendable {
    /// How long unsent messages are kept after closing.
    public var linger: Duration = .seconds(2)

    /// Messages queued for sending to one peer before the outcome is ``SendOutcome/full``; 0 means no limit.
    public var sendHighWaterMark = 256

    /// Messages from one peer queued for receiving before the peer must wait; 0 means no limit.
    public var receiveHighWaterMark = 256

    /// The most bytes in one frame; a peer that sends a larger one is disconnected.
    ///
    /// Without this limit, nine bytes from a stranger reserve gigabytes, so there is no "unlimited".
    public var maximumMessageSize = 1 << 20

    /// The most bytes, approximately, in a message of several frames, plus 16 for each frame; a larger one is
    /// discarded.
    ///
    /// libzmq assembles a whole message before the program sees it, and has no such limit of its own: this one only
    /// bounds what the program stores. A message of one frame may have as many bytes as ``maximumMessageSize`` says.
    public var maximumMultipartSize = 64 << 20

    /// How long a handshake may take before the connection is closed.
    public var handshakeInterval: Duration = .seconds(5)

    /// How silent connections are probed; nil, the default, leaves it to ``tcpKeepAlive``.
    ///
    /// Only for sockets that always read their messages immediately. While a socket is paused, or its sequence is read
    /// slowly, libzmq does not read the answers to its probes either: it closes a healthy connection, and the messages
    /// on it are lost.
    public var heartbeats: Heartbeats?

    /// How long to wait before the first attempt to reconnect; libzmq adds jitter.
    public var reconnectInterval: Duration = .milliseconds(250)

    /// The longest interval between attempts; the interval doubles up to this.
    public var maximumReconnectInterval: Duration = .seconds(30)

    /// How long one attempt to connect may take; zero leaves it to the operating system, which takes minutes.
    public var connectTimeout: Duration = .seconds(5)

    /// Whether messages are queued only for connections that are up.
    ///
    /// With `true` a ``Dealer`` without a connection returns ``SendOutcome/full`` and the sender keeps the message;
    /// with `false` it fills a queue that is lost if the connection never comes. It is off by default because of libzmq
    /// 4.3.4: with `true` it drops the last messages of a peer that then closes, and ends the process if it had
    /// delivered only some frames of one.
    public var immediate = false

    /// The most connections the operating system may hold before they are accepted.
    public var backlog = 1024

    /// How the operating system probes idle TCP connections; nil keeps the system's settings.
    public var tcpKeepAlive: TCPKeepAlive? = TCPKeepAlive()

    /// Whether host names may resolve to IPv6; endpoints with an IPv6 literal don't need it.
    public var ipv6 = false

    /// What a ``Router`` keeps for peers whose queues are full.
    public var outbox = OutboxLimits()

    /// How long a listener may fail to accept connections, for lack of descriptors, before it is closed for a while.
    ///
    /// A listener that cannot accept keeps a whole processor busy. Closing it also disconnects the connections it
    /// accepted before; it is bound again after a pause that doubles from one second to thirty.
    public var acceptFailurePatience: Duration = .seconds(1)

    /// The values shared by every kind.
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

/// How ZeroMQ itself probes a connection.
///
/// The peer's I/O thread answers the probes: they prove the connection, not that the program behind it lives. They
/// notice a vanished machine in seconds; TCP takes half a minute, or a quarter of an hour while data is being sent.
public struct Heartbeats: Hashable, Sendable {
    /// How often a connection is probed.
    public var interval: Duration

    /// How long to wait for the answer to a probe before closing the connection.
    public var timeout: Duration

    /// How long the peer keeps the connection without receiving anything from us; counted in tenths of a second.
    public var timeToLive: Duration

    /// Configures the probes of a connection.
    ///
    /// - Parameters:
    ///   - interval: How often a connection is probed.
    ///   - timeout: How long to wait for the answer to a probe before closing the connection.
    ///   - timeToLive: How long the peer keeps the connection without receiving anything from us.
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

    /// Configures the probes of a connection.
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
