import CZeroMQ

/// An option of a socket that libzmq knows, with its type and unit; for those that ``SocketOptions`` has no property for.
///
/// ```swift
/// import ZeroMQ
///
/// func openLatestValues(on reactor: isolated Reactor) throws -> Socket<Sub> {
///     var options = SocketOptions(for: Sub.self)
///     options[.conflate] = true
///     return try reactor.open(Sub.self, options: options)
/// }
/// ```
///
/// Keys, the authenticator's domain, and what the module itself relies on (`ZMQ_ROUTER_MANDATORY`, `ZMQ_XPUB_VERBOSER`) are
/// not among them.
public struct SocketOption<Value: Hashable & Sendable>: Sendable {
    let number: Int32
    let name: String
    let coding: OptionCoding
}

/// How an option's value is handed to libzmq.
enum OptionCoding: Sendable {
    case count(ClosedRange<Int>)
    case flag
    /// A number of 64 bits.
    case wide
    /// A time in milliseconds, up to so many.
    case milliseconds(upTo: Int32)
    case seconds
    case text
    case bytes(ClosedRange<Int>)
}

extension SocketOption where Value == Int {
    private static func count(_ number: Int32, _ name: String, _ range: ClosedRange<Int> = 0...Int(Int32.max)) -> Self {
        Self(number: number, name: name, coding: .count(range))
    }

    static let sendHighWaterMark = count(ZMQ_SNDHWM, "sendHighWaterMark")
    static let receiveHighWaterMark = count(ZMQ_RCVHWM, "receiveHighWaterMark")
    static let backlog = count(ZMQ_BACKLOG, "backlog", 1...Int(Int32.max))
    static let keepAliveCount = count(ZMQ_TCP_KEEPALIVE_CNT, "tcpKeepAlive.count", 1...Int(Int32.max))
    static let maximumMessageSize = Self(number: ZMQ_MAXMSGSIZE, name: "maximumMessageSize", coding: .wide)

    /// Which of the reactor's I/O threads serve the socket's connections: bit 0 for the first; 0 for all.
    public static let affinity = Self(number: ZMQ_AFFINITY, name: "affinity", coding: .wide)

    /// The size of the operating system's send buffer in bytes; -1 for its default.
    public static let sendBuffer = count(ZMQ_SNDBUF, "sendBuffer", -1...Int(Int32.max))

    /// The size of the operating system's receive buffer in bytes; -1 for its default.
    public static let receiveBuffer = count(ZMQ_RCVBUF, "receiveBuffer", -1...Int(Int32.max))

    /// The type-of-service byte of the IP packets.
    public static let typeOfService = count(ZMQ_TOS, "typeOfService", 0...255)

    /// The largest number of bytes a multicast transport puts in a packet.
    public static let multicastPacketSize = count(ZMQ_MULTICAST_MAXTPDU, "multicastPacketSize", 1...65_535)

    /// The largest number of networks a multicast packet crosses.
    public static let multicastHops = count(ZMQ_MULTICAST_HOPS, "multicastHops", 1...255)

    /// The data rate of a multicast transport, in kilobits per second.
    public static let multicastRate = count(ZMQ_RATE, "multicastRate", 1...Int(Int32.max))
}

extension SocketOption where Value == Bool {
    private static func flag(_ number: Int32, _ name: String) -> Self {
        Self(number: number, name: name, coding: .flag)
    }

    static let immediate = flag(ZMQ_IMMEDIATE, "immediate")
    static let ipv6 = flag(ZMQ_IPV6, "ipv6")
    static let keepAlive = flag(ZMQ_TCP_KEEPALIVE, "tcpKeepAlive")
    static let mandatory = flag(ZMQ_ROUTER_MANDATORY, "mandatory")
    static let handover = flag(ZMQ_ROUTER_HANDOVER, "handover")
    static let verboser = flag(ZMQ_XPUB_VERBOSER, "verboser")

    /// Whether only the latest message is kept, for ``Sub``, ``Pull``, ``Dealer``, ``Pub``, ``Push`` and ``Pair``.
    ///
    /// Only for messages of one frame: libzmq keeps a single frame. So a publisher's topic and value are one frame.
    public static let conflate = flag(ZMQ_CONFLATE, "conflate")

    /// Whether a ``Req`` may ask again before it has an answer; a late answer to the earlier question is dropped.
    ///
    /// Set ``requestCorrelate``, too, or a late answer is taken for that to the later question.
    public static let requestRelaxed = flag(ZMQ_REQ_RELAXED, "requestRelaxed")

    /// Whether a ``Req`` numbers its questions, and drops answers to earlier ones; its peer sends the number back.
    public static let requestCorrelate = flag(ZMQ_REQ_CORRELATE, "requestCorrelate")

    /// Whether a ``Dealer``, ``Req`` or ``Router`` sends an empty message on each new connection, so that a router knows it.
    public static let probeRouter = flag(ZMQ_PROBE_ROUTER, "probeRouter")

    /// Whether a publisher waits for subscribers that have no room, instead of dropping messages for them.
    public static let publishLossless = flag(ZMQ_XPUB_NODROP, "publishLossless")

    /// Whether a ``Sub`` receives what does not match its topics; its publishers need the same value.
    public static let invertMatching = flag(ZMQ_INVERT_MATCHING, "invertMatching")

    /// Whether a ``Stream`` tells with an empty message that a connection has begun or ended; true by default.
    public static let streamNotify = flag(ZMQ_STREAM_NOTIFY, "streamNotify")
}

extension SocketOption where Value == Duration {
    private static func time(_ number: Int32, _ name: String, upTo most: Int32 = .max) -> Self {
        Self(number: number, name: name, coding: .milliseconds(upTo: most))
    }

    static let linger = time(ZMQ_LINGER, "linger")
    static let handshakeInterval = time(ZMQ_HANDSHAKE_IVL, "handshakeInterval")
    static let heartbeatInterval = time(ZMQ_HEARTBEAT_IVL, "heartbeats.interval")
    static let heartbeatTimeout = time(ZMQ_HEARTBEAT_TIMEOUT, "heartbeats.timeout")
    /// libzmq sends this time in tenths of a second, as 16 bits.
    static let heartbeatTimeToLive = time(ZMQ_HEARTBEAT_TTL, "heartbeats.timeToLive", upTo: 6_553_599)
    static let reconnectInterval = time(ZMQ_RECONNECT_IVL, "reconnectInterval")
    static let maximumReconnectInterval = time(ZMQ_RECONNECT_IVL_MAX, "maximumReconnectInterval")
    static let connectTimeout = time(ZMQ_CONNECT_TIMEOUT, "connectTimeout")
    static let keepAliveIdle = Self(number: ZMQ_TCP_KEEPALIVE_IDLE, name: "tcpKeepAlive.idle", coding: .seconds)
    static let keepAliveInterval = Self(
        number: ZMQ_TCP_KEEPALIVE_INTVL,
        name: "tcpKeepAlive.interval",
        coding: .seconds
    )

    /// How long the operating system sends unacknowledged data again before it closes the connection; zero for its default.
    public static let tcpMaximumRetransmission = time(ZMQ_TCP_MAXRT, "tcpMaximumRetransmission")

    /// How long a multicast receiver may lack data before it is lost for good.
    public static let multicastRecovery = time(ZMQ_RECOVERY_IVL, "multicastRecovery")
}

extension SocketOption where Value == String {
    private static func text(_ number: Int32, _ name: String) -> Self {
        Self(number: number, name: name, coding: .text)
    }

    /// The address of a SOCKS5 proxy through which the socket connects, such as `127.0.0.1:1080`.
    public static let socksProxy = text(ZMQ_SOCKS_PROXY, "socksProxy")

    /// The network interface whose connections the socket uses, such as `eth0`; needs a privilege.
    public static let device = text(ZMQ_BINDTODEVICE, "device")
}

extension SocketOption where Value == [UInt8] {
    private static func bytes(_ number: Int32, _ name: String, _ size: ClosedRange<Int>) -> Self {
        Self(number: number, name: name, coding: .bytes(size))
    }

    /// The id by which a ``Router`` at the other end addresses this socket; 1 to 255 bytes, the first not 0.
    ///
    /// Two peers with one id: the router keeps the first. A peer may claim any id, so none proves who it is.
    public static let routingID = bytes(ZMQ_ROUTING_ID, "routingID", 1...255)

    /// The id that a ``Router`` or ``Stream`` gives the peer of its next connect, so that it can send first: see
    /// ``Reactor/set(_:to:on:)``.
    public static let nextConnectID = bytes(ZMQ_CONNECT_ROUTING_ID, "nextConnectID", 1...255)

    /// What an ``XPub`` sends each new subscriber; this proves nothing about the subscriber's other topics.
    public static let welcomeMessage = bytes(ZMQ_XPUB_WELCOME_MSG, "welcomeMessage", 0...Int(Int32.max))
}

// MARK: - Reading and writing

extension SocketOption {
    /// Sets the option on a socket.
    ///
    /// - Throws: ``ZeroMQError`` with code `invalid_option`, which shows the value and what is allowed.
    func set(_ value: Value, on socket: UnsafeMutableRawPointer) throws(ZeroMQError) {
        guard hand(value, to: socket) else { throw Errors.socketOption(name, value, allowed: allowed) }
    }

    /// The option's value on a socket; nil if libzmq does not tell it.
    func value(on socket: UnsafeMutableRawPointer) -> Value? {
        switch coding {
        case .count: return int(of: socket).map { Int($0) } as? Value
        case .flag: return int(of: socket).map { $0 != 0 } as? Value
        case .milliseconds: return int(of: socket).map { Duration.milliseconds($0) } as? Value
        case .seconds: return int(of: socket).map { Duration.seconds($0) } as? Value
        case .wide:
            var (value, size): (Int64, Int) = (0, MemoryLayout<Int64>.size)
            return zmq_getsockopt(socket, number, &value, &size) == 0 ? Int(value) as? Value : nil
        case .text: return bytes(of: socket).map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } as? Value
        case .bytes: return bytes(of: socket) as? Value
        }
    }

    private func hand(_ value: Value, to socket: UnsafeMutableRawPointer) -> Bool {
        switch (coding, value) {
        case (.count(let range), let value as Int):
            range.contains(value) && czmq_set_int(socket, number, Int32(value)) == 0
        case (.flag, let value as Bool): czmq_set_int(socket, number, value ? 1 : 0) == 0
        case (.wide, let value as Int): value >= 0 && czmq_set_int64(socket, number, Int64(value)) == 0
        case (.milliseconds(let most), let value as Duration):
            value >= .zero && value <= .milliseconds(most)
                && czmq_set_int(socket, number, value.roundedUpToMilliseconds) == 0
        case (.seconds, let value as Duration):
            // The fraction of a second is left out.
            (1...Int64(Int32.max)).contains(value.components.seconds)
                && czmq_set_int(socket, number, Int32(value.components.seconds)) == 0
        case (.text, let value as String): zmq_setsockopt(socket, number, value, value.utf8.count) == 0
        case (.bytes(let size), let value as [UInt8]):
            size.contains(value.count) && zmq_setsockopt(socket, number, value, value.count) == 0
        default: false
        }
    }

    private var allowed: String {
        switch coding {
        case .count(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        case .flag: "true or false, for a kind of socket that has this option"
        case .wide: "a number from 0 to \(Int64.max)"
        case .milliseconds(let most): "a duration from 0 to \(most) ms"
        case .seconds: "a duration from 1 to \(Int32.max) seconds"
        case .text: "a text that libzmq accepts"
        case .bytes(let size):
            "\(size.lowerBound) to \(size.upperBound) bytes, for a kind of socket that has this option"
        }
    }

    private func int(of socket: UnsafeMutableRawPointer) -> Int32? {
        var (value, size): (Int32, Int) = (0, MemoryLayout<Int32>.size)
        return zmq_getsockopt(socket, number, &value, &size) == 0 ? value : nil
    }

    private func bytes(of socket: UnsafeMutableRawPointer) -> [UInt8]? {
        withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
            var size = buffer.count
            guard zmq_getsockopt(socket, number, buffer.baseAddress, &size) == 0 else { return nil }
            return Array(buffer[..<size])
        }
    }
}

extension Reactor {
    /// Sets an option of an open socket.
    ///
    /// libzmq applies most changes only to later binds and connects, and refuses some.
    ///
    /// - Parameters:
    ///   - option: The option.
    ///   - value: The value.
    ///   - socket: The socket.
    /// - Throws: ``ZeroMQError``: `invalid_option`, or `closed`.
    public func set<Value, Kind>(_ option: SocketOption<Value>, to value: Value, on socket: Socket<Kind>)
        throws(ZeroMQError)
    {
        try option.set(value, on: find(socket).handle)
    }

    /// The value of an option of an open socket.
    ///
    /// - Parameters:
    ///   - option: The option.
    ///   - socket: The socket.
    /// - Returns: The value; nil if libzmq only takes this option and does not tell it.
    /// - Throws: ``ZeroMQError`` with code `closed`.
    public func get<Value, Kind>(_ option: SocketOption<Value>, of socket: Socket<Kind>) throws(ZeroMQError) -> Value? {
        option.value(on: try find(socket).handle)
    }
}
