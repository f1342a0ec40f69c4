import CZeroMQ

/// Connection events.
extension Reactor {
    /// Calls a handler for each event of a socket's connections and listeners.
    ///
    /// Events also come from a paused socket and from one whose messages nobody takes. A second call replaces the
    /// handler; events before the first call are lost.
    ///
    /// - Parameters:
    ///   - socket: The socket; a closed one has no events.
    ///   - handler: Called with each event; it must not block.
    /// - Throws: ``ZeroMQError`` with code `too_many_descriptors`.
    public func observe<Kind>(
        _ socket: Socket<Kind>,
        _ handler: @escaping @Sendable (isolated Reactor, SocketEvent) -> Void
    ) throws(ZeroMQError) {
        guard let socket = sockets[socket.token] else { return }
        try openMonitor(of: socket)
        socket.eventHandler = handler
    }

    /// The events of a socket's connections and listeners, beginning now, as a sequence for one task.
    ///
    /// The sequence buffers the latest 1,024 events for a slow task and drops older ones. It ends when the socket is
    /// closed, and it replaces the socket's event handler.
    ///
    /// - Parameter socket: The socket; for a closed one the sequence is empty.
    /// - Returns: The sequence.
    /// - Throws: ``ZeroMQError`` with code `too_many_descriptors`.
    public func events<Kind>(of socket: Socket<Kind>) throws(ZeroMQError) -> AsyncStream<SocketEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SocketEvent.self,
            bufferingPolicy: .bufferingNewest(1024)
        )
        guard let open = sockets[socket.token] else {
            continuation.finish()
            return stream
        }
        try observe(socket) { _, event in continuation.yield(event) }
        open.eventsEnd = { continuation.finish() }
        return stream
    }

    /// Opens the monitor of a socket that has none yet.
    func openMonitor(of socket: OpenSocket) throws(ZeroMQError) {
        guard socket.monitor == nil else { return }
        let monitor = try SocketMonitor(of: socket.handle, in: context)
        socket.monitor = monitor
        pollSet.add(.monitor(socket), handle: monitor.handle, events: Int16(ZMQ_POLLIN))
    }

    /// Takes the waiting reports, up to a turn's share; the next turn takes the rest.
    func takeEvents(of socket: OpenSocket) {
        for _ in 0..<options.messagesPerTurn {
            guard let event = socket.monitor?.next(reader) else { return }
            tell(event, of: socket)
        }
    }

    /// Passes an event to the listener breaker and to the handler.
    func tell(_ event: SocketEvent, of socket: OpenSocket) {
        if case .acceptFailed(_, let failure) = event, failure.isExhaustion { breakListeners(of: socket) }
        socket.eventHandler?(self, event)
    }

    /// Waits until libzmq has closed the descriptors of listeners that were unbound, so that others can bind there.
    ///
    /// `zmq_unbind` only asks the I/O thread to do it, which commonly takes 50 µs. The reports come through the
    /// socket's own monitor; all other reports are passed on as usual.
    func awaitClosed(_ endpoints: Set<String>, of socket: OpenSocket) {
        var awaited = endpoints
        let deadline = ContinuousClock.now + .seconds(5)
        while !awaited.isEmpty, ContinuousClock.now < deadline {
            // Without a report the port only stays busy a little longer.
            guard socket.monitor?.wait(milliseconds: 5000) == true else { return }
            // The event handler may close the socket, and the monitor with it.
            while let event = socket.monitor?.next(reader) {
                if case .closed(let endpoint) = event { awaited.remove(endpoint) }
                tell(event, of: socket)
            }
        }
    }
}
