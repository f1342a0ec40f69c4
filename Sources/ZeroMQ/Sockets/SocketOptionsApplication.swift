import CZeroMQ

extension SocketOptions {
    /// Sets all options on a socket before its first connection.
    func apply(to socket: UnsafeMutableRawPointer, pattern: SocketPattern) throws(ZeroMQError) {
        let setter = OptionSetter(socket: socket)
        try applyLimits(setter)
        try applyTimes(setter)
        try setter.set(ZMQ_IMMEDIATE, "immediate", immediate ? 1 : 0)
        try setter.set(ZMQ_IPV6, "ipv6", ipv6 ? 1 : 0)
        if let tcpKeepAlive { try tcpKeepAlive.apply(setter) }
        if pattern == .router {
            // Otherwise libzmq silently drops undeliverable messages.
            try setter.set(ZMQ_ROUTER_MANDATORY, "mandatory", 1)
            // Otherwise a stranger that claims a peer's id would receive that peer's answers.
            try setter.set(ZMQ_ROUTER_HANDOVER, "handover", 0)
        }
        // Reports every subscription and every unsubscription; libzmq would otherwise hide a subscriber that came back.
        if pattern == .xpub { try setter.set(ZMQ_XPUB_VERBOSER, "verboser", 1) }
    }

    private func applyLimits(_ setter: OptionSetter) throws(ZeroMQError) {
        try setter.set(ZMQ_SNDHWM, "sendHighWaterMark", sendHighWaterMark)
        try setter.set(ZMQ_RCVHWM, "receiveHighWaterMark", receiveHighWaterMark)
        try setter.set(ZMQ_BACKLOG, "backlog", backlog, in: 1...Int(Int32.max))
        try setter.setMaximumMessageSize(maximumMessageSize)
    }

    private func applyTimes(_ setter: OptionSetter) throws(ZeroMQError) {
        try setter.set(ZMQ_LINGER, "linger", linger)
        try setter.set(ZMQ_HANDSHAKE_IVL, "handshakeInterval", handshakeInterval)
        if let heartbeats {
            try setter.set(ZMQ_HEARTBEAT_IVL, "heartbeats.interval", heartbeats.interval)
            try setter.set(ZMQ_HEARTBEAT_TIMEOUT, "heartbeats.timeout", heartbeats.timeout)
            // libzmq sends this time in tenths of a second, as 16 bits.
            try setter.set(ZMQ_HEARTBEAT_TTL, "heartbeats.timeToLive", heartbeats.timeToLive, upTo: 6_553_599)
        }
        try setter.set(ZMQ_RECONNECT_IVL, "reconnectInterval", reconnectInterval)
        try setter.set(ZMQ_RECONNECT_IVL_MAX, "maximumReconnectInterval", maximumReconnectInterval)
        try setter.set(ZMQ_CONNECT_TIMEOUT, "connectTimeout", connectTimeout)
    }
}

extension TCPKeepAlive {
    fileprivate func apply(_ setter: OptionSetter) throws(ZeroMQError) {
        let counts = 1...Int(Int32.max)
        try setter.set(ZMQ_TCP_KEEPALIVE, "tcpKeepAlive", 1)
        try setter.set(ZMQ_TCP_KEEPALIVE_IDLE, "tcpKeepAlive.idle", wholeSeconds: idle)
        try setter.set(ZMQ_TCP_KEEPALIVE_INTVL, "tcpKeepAlive.interval", wholeSeconds: interval)
        try setter.set(ZMQ_TCP_KEEPALIVE_CNT, "tcpKeepAlive.count", count, in: counts)
    }
}

/// Sets socket options; for a refused value, it throws an error with the option's name and value.
struct OptionSetter {
    let socket: UnsafeMutableRawPointer

    func set(
        _ option: Int32,
        _ name: String,
        _ value: Int,
        in range: ClosedRange<Int> = 0...Int(Int32.max)
    ) throws(ZeroMQError) {
        guard range.contains(value), czmq_set_int(socket, option, Int32(value)) == 0 else {
            throw Errors.socketOption(name, value, allowed: "a number from \(range.lowerBound) to \(range.upperBound)")
        }
    }

    /// Sets an option that is a time of at most `most` milliseconds.
    func set(_ option: Int32, _ name: String, _ value: Duration, upTo most: Int32 = .max) throws(ZeroMQError) {
        guard value >= .zero, value <= .milliseconds(most),
            czmq_set_int(socket, option, value.roundedUpToMilliseconds) == 0
        else { throw Errors.socketOption(name, value, allowed: "a duration from 0 to \(most) ms") }
    }

    /// Sets an option that counts whole seconds; the fraction of a second is left out.
    func set(_ option: Int32, _ name: String, wholeSeconds value: Duration) throws(ZeroMQError) {
        let seconds = value.components.seconds
        guard seconds >= 1, seconds <= Int64(Int32.max), czmq_set_int(socket, option, Int32(seconds)) == 0 else {
            throw Errors.socketOption(name, value, allowed: "a duration from 1 to \(Int32.max) seconds")
        }
    }

    func setMaximumMessageSize(_ size: Int, envelope: Int = 0) throws(ZeroMQError) {
        let (limit, isTooLarge) = Int64(size).addingReportingOverflow(Int64(envelope))
        guard size > 0, !isTooLarge, czmq_set_int64(socket, ZMQ_MAXMSGSIZE, limit) == 0 else {
            throw Errors.socketOption(
                "maximumMessageSize",
                size,
                allowed: "from 1 to \(Int64.max - Int64(envelope)) bytes"
            )
        }
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
