import CZeroMQ

/// Events of connections and listeners.
extension Reactor {
    /// Calls a handler for each event of a socket's connections and listeners.
    ///
    /// Paused sockets and sockets without a message handler also have events. A second call replaces the handler, and
    /// ends a sequence of ``events(of:)``.
    /// Events before the first call are lost.
    ///
    /// - Parameters:
    ///   - socket: The socket; a closed socket has no events.
    ///   - handler: Called with each event on the reactor's thread; it must not block.
    /// - Throws: ``ZeroMQError`` with code `too_many_descriptors`.
    public func observe<Kind>(
        _ socket: Socket<Kind>,
        _ handler: @escaping (SocketEvent) -> Void
    ) throws(ZeroMQError) {
        guard let socket = sockets[socket.token] else { return }
        try openMonitor(of: socket)
        socket.eventsEnd?()
        (socket.eventHandler, socket.eventsEnd) = (handler, nil)
    }

    /// Returns the events of a socket's connections and listeners from now on, as a sequence for one task.
    ///
    /// The sequence buffers the latest 1,024 events for a slow task and drops older events. The sequence ends when the
    /// socket is closed. The call replaces the socket's event handler, and ends an earlier sequence.
    ///
    /// - Parameter socket: The socket; for a closed socket the sequence is empty.
    /// - Returns: The sequence of events.
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
        try observe(socket) { event in continuation.yield(event) }
        open.eventsEnd = { continuation.finish() }
        return stream
    }

    /// Opens a ``SocketMonitor`` for the socket, unless the socket has one already.
    func openMonitor(of socket: OpenSocket) throws(ZeroMQError) {
        guard socket.monitor == nil else { return }
        let monitor = try SocketMonitor(of: socket.handle, in: shared.pointer)
        socket.monitor = monitor
        pollSet.add(.monitor(socket), handle: monitor.handle, events: Int16(ZMQ_POLLIN))
    }

    /// Handles at most `messagesPerTurn` waiting events; the reactor's next turn handles the rest.
    func takeEvents(of socket: OpenSocket) {
        for _ in 0..<options.messagesPerTurn {
            guard let event = socket.monitor?.next(reader) else { return }
            tell(event, of: socket)
        }
    }

    /// Passes an event to the listener breaker and to the handler.
    func tell(_ event: SocketEvent, of socket: OpenSocket) {
        if case .acceptFailed(_, let failure) = event, failure.isExhaustion { breakListeners(of: socket) }
        socket.eventHandler?(event)
    }

    /// Waits until libzmq has closed unbound listeners, so that other sockets can bind the endpoints.
    ///
    /// `zmq_unbind` only asks the I/O thread to close a listener; the I/O thread usually needs 50 µs. The monitor of
    /// the socket reports when a listener is closed. The wait ends after 5 s in any case; then the endpoint only stays
    /// busy a little longer. The events are handled after the wait, because a handler may close the socket.
    func awaitClosed(_ endpoints: Set<String>, of socket: OpenSocket) {
        var awaited = endpoints
        var events: [SocketEvent] = []
        let deadline = ContinuousClock.now + .seconds(5)
        while !awaited.isEmpty, let monitor = socket.monitor {
            let left = max(deadline - .now, .zero)
            guard monitor.wait(milliseconds: Int(left.roundedUpToMilliseconds)) else { break }
            while let event = monitor.next(reader) {
                if case .closed(let endpoint) = event { awaited.remove(endpoint) }
                events.append(event)
            }
        }
        for event in events { tell(event, of: socket) }
    }
}
