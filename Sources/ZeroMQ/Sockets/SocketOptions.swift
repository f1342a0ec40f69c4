import CZeroMQ

/// The options of a socket: limits, timeouts and reconnection.
///
/// Pass the options when you open a socket, because libzmq ignores most option changes after a socket has connected.
/// Start from the defaults of the kind, which suit a long-running program, and change what you need:
///
/// ```swift
/// import ZeroMQ
///
/// var options = SocketOptions(for: Dealer.self)
/// options.sendHighWaterMark = 1_000
/// options[.routingID] = Array("worker-1".utf8)
/// ```
public struct SocketOptions: Sendable {
    /// How long libzmq keeps trying to send the queued messages of a closed socket; then it drops them.
    public var linger: Duration = .seconds(2)

    /// The maximum number of messages queued for sending to one peer; 0 means no limit.
    ///
    /// When the queue is full, sending returns ``SendOutcome/full``; a publisher drops the message.
    public var sendHighWaterMark = 256

    /// The maximum number of received messages queued from one peer, before the peer must wait; 0 means no limit.
    public var receiveHighWaterMark = 256

    /// The number of received messages that the reactor reads ahead for tasks; it also stops at 4 MiB.
    ///
    /// The messages of one turn (see ``ReactorOptions``) may exceed the limit. A limit below 1 counts as 1.
    public var prefetch = 1024

    /// The maximum size of one received frame in bytes, above zero; a peer that sends a larger frame is disconnected.
    ///
    /// An unlimited size is not possible: without a limit, any peer could send nine bytes that make this process
    /// reserve gigabytes.
    public var maximumMessageSize = 1 << 20

    /// The approximate maximum size in bytes of a received message with several frames; a larger message is discarded.
    ///
    /// Each frame counts 16 bytes in addition to its own size. The limit bounds only the memory of the program: libzmq
    /// assembles a whole message before the program sees the message, and libzmq has no such limit. For a message of
    /// one frame, only ``maximumMessageSize`` applies.
    public var maximumMultipartSize = 64 << 20

    /// How long a handshake may take before the connection is closed.
    public var handshakeInterval: Duration = .seconds(5)

    /// How libzmq probes silent connections; nil, the default, sends no such probes and relies on ``tcpKeepAlive``.
    ///
    /// Use heartbeats only for sockets that always read their messages immediately. While a socket is paused, or its
    /// message sequence is read slowly, libzmq reads neither messages nor the answers to its probes. So it closes a
    /// healthy connection, and the messages on the connection are lost.
    public var heartbeats: Heartbeats?

    /// How long to wait before the first attempt to reconnect; libzmq adds a random time.
    public var reconnectInterval: Duration = .milliseconds(250)

    /// The longest time between two attempts to reconnect; the time doubles with each attempt up to this limit.
    public var maximumReconnectInterval: Duration = .seconds(30)

    /// How long one attempt to connect may take; zero uses the operating system's timeout of several minutes.
    public var connectTimeout: Duration = .seconds(5)

    /// Whether messages are queued only for connections that are up.
    ///
    /// With `true`, sending on a ``Dealer`` without a connection returns ``SendOutcome/full``, and the sender keeps the
    /// message. With `false`, the message is queued, and is lost if no connection is ever established. The default is
    /// `false` because of an error in libzmq 4.3.4. With `true`, libzmq drops the last messages of a peer that closes,
    /// and ends the process if it has already delivered some frames of such a message.
    public var immediate = false

    /// The maximum number of incoming connections that wait in the operating system to be accepted.
    public var backlog = 1024

    /// How the operating system probes idle TCP connections; nil keeps the system's settings.
    public var tcpKeepAlive: TCPKeepAlive? = TCPKeepAlive()

    /// Whether host names may resolve to IPv6 addresses; a literal IPv6 address does not need this option.
    public var ipv6 = false

    /// The largest number of different prefixes that peers with one key may subscribe to at an ``XPub``; nil, the default,
    /// for no limit.
    ///
    /// libzmq has no such limit, and stores some kilobytes for each subscription. The socket reports a key beyond the
    /// limit as ``SubscriberEvent/crowded(by:)``. Without keys, subscriptions are not limited.
    public var subscriptionsPerKey: Int?

    /// How long listeners may fail to accept connections, for lack of descriptors or memory, before they are closed.
    ///
    /// A listener that cannot accept connections keeps a whole processor busy. Closing the listeners also ends the
    /// connections that they accepted before. The reactor binds the listeners again after a pause of 1 s; if they fail
    /// again, the pause doubles each time, up to 30 s.
    public var acceptFailurePatience: Duration = .seconds(1)

    /// The options that have no property, by their numbers.
    private var others: [Int32: Other] = [:]

    private struct Other: Sendable {
        let value: any Sendable
        let apply: @Sendable (UnsafeMutableRawPointer) throws(ZeroMQError) -> Void
    }

    /// The default options of a kind.
    ///
    /// Publishers and subscribers queue 10,000 messages for each peer; what they send or receive of subscriptions is not
    /// limited, because libzmq would silently drop subscriptions above a limit (of 5,000, its default let 1,000 through).
    ///
    /// - Parameter kind: The kind, such as `Router.self`.
    public init<Kind: SocketKind>(for kind: Kind.Type) {
        switch kind.number {
        case ZMQ_PUB, ZMQ_XPUB:
            (sendHighWaterMark, receiveHighWaterMark, linger) = (10_000, 0, .zero)
        case ZMQ_SUB, ZMQ_XSUB:
            (sendHighWaterMark, receiveHighWaterMark, linger) = (0, 10_000, .zero)
            handshakeInterval = .seconds(10)
        case ZMQ_DEALER, ZMQ_REQ:
            handshakeInterval = .seconds(10)
        default: break
        }
    }

    /// An option that has no property; nil, the default, leaves it to libzmq.
    ///
    /// - Parameter option: The option.
    public subscript<Value>(option: SocketOption<Value>) -> Value? {
        get { others[option.number]?.value as? Value }
        set {
            others[option.number] = newValue.map { value in
                Other(value: value) { socket throws(ZeroMQError) in try option.set(value, on: socket) }
            }
        }
    }

    /// The limit for a received message in bytes, always below 4 GiB.
    ///
    /// It is the larger of ``maximumMultipartSize`` and ``maximumMessageSize``, plus 64 KiB for small frames.
    var mostBytesOfAMessage: Int {
        let small = 64 << 10
        return min(max(maximumMultipartSize, maximumMessageSize), Int(UInt32.max) - small) + small
    }

    /// Sets all options on a socket before its first connection.
    func apply(to socket: UnsafeMutableRawPointer, kind: Int32) throws(ZeroMQError) {
        func set<Value>(_ option: SocketOption<Value>, _ value: Value) throws(ZeroMQError) {
            try option.set(value, on: socket)
        }
        try set(.linger, linger)
        try set(.sendHighWaterMark, sendHighWaterMark)
        try set(.receiveHighWaterMark, receiveHighWaterMark)
        try set(.backlog, backlog)
        try applyMaximumMessageSize(to: socket)
        try set(.handshakeInterval, handshakeInterval)
        if let heartbeats {
            try set(.heartbeatInterval, heartbeats.interval)
            try set(.heartbeatTimeout, heartbeats.timeout)
            try set(.heartbeatTimeToLive, heartbeats.timeToLive)
        }
        try set(.reconnectInterval, reconnectInterval)
        try set(.maximumReconnectInterval, maximumReconnectInterval)
        try set(.connectTimeout, connectTimeout)
        try set(.immediate, immediate)
        try set(.ipv6, ipv6)
        if let tcpKeepAlive {
            try set(.keepAlive, true)
            try set(.keepAliveIdle, tcpKeepAlive.idle)
            try set(.keepAliveInterval, tcpKeepAlive.interval)
            try set(.keepAliveCount, tcpKeepAlive.count)
        }
        if kind == ZMQ_ROUTER {
            // Otherwise libzmq silently drops undeliverable messages.
            try set(.mandatory, true)
            // Otherwise a stranger that claims a peer's id would receive that peer's answers.
            try set(.handover, false)
        }
        // Reports every subscription and every unsubscription; libzmq would otherwise hide a subscriber that came back.
        if kind == ZMQ_XPUB { try set(.verboser, true) }
        for number in others.keys.sorted() { try others[number]?.apply(socket) }
    }

    /// Sets the largest size of a frame; encryption adds `envelope` bytes to each.
    func applyMaximumMessageSize(to socket: UnsafeMutableRawPointer, envelope: Int = 0) throws(ZeroMQError) {
        let (limit, isTooLarge) = maximumMessageSize.addingReportingOverflow(envelope)
        guard maximumMessageSize > 0, !isTooLarge else {
            throw Errors.socketOption(
                "maximumMessageSize",
                maximumMessageSize,
                allowed: "from 1 to \(Int.max - envelope) bytes"
            )
        }
        try SocketOption.maximumMessageSize.set(limit, on: socket)
    }
}

/// How ZeroMQ itself probes a connection.
///
/// The peer's I/O thread answers the probes. So an answer proves that the connection works, but not that the peer's
/// program works. Probes detect a lost machine within seconds. TCP needs half a minute with the default
/// ``TCPKeepAlive``, or a quarter of an hour if sent data is not acknowledged.
public struct Heartbeats: Hashable, Sendable {
    /// How often a connection is probed.
    public var interval: Duration

    /// How long to wait for the answer to a probe before closing the connection.
    public var timeout: Duration

    /// How long the peer keeps the connection without receiving anything from this socket, in steps of 0.1 s; at most
    /// 6553.599 s.
    public var timeToLive: Duration

    /// Configures the probes of a connection.
    ///
    /// - Parameters:
    ///   - interval: How often a connection is probed.
    ///   - timeout: How long to wait for the answer to a probe before closing the connection.
    ///   - timeToLive: How long the peer keeps the connection without receiving anything from this socket.
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
    /// How long a connection is idle before the first probe; at least 1 s, fractions are ignored.
    public var idle: Duration

    /// The time between probes; at least 1 s, fractions are ignored.
    public var interval: Duration

    /// The number of unanswered probes after which the connection is closed; at least 1.
    public var count: Int

    /// Configures the probes of a connection.
    ///
    /// - Parameters:
    ///   - idle: How long a connection is idle before the first probe; at least 1 s.
    ///   - interval: The time between probes; at least 1 s.
    ///   - count: The number of unanswered probes after which the connection is closed; at least 1.
    public init(idle: Duration = .seconds(10), interval: Duration = .seconds(5), count: Int = 4) {
        self.idle = idle
        self.interval = interval
        self.count = count
    }
}

extension Duration {
    /// The duration in milliseconds, from 0 to `Int32.max`, rounded up so that no wait ends early.
    var roundedUpToMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds < Int64(Int32.max) / 1000 else { return Int32.max }
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let fraction = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(clamping: seconds * 1000 + fraction)
    }
}
