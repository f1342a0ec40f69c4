import CZeroMQ

/// Opening, binding, connecting and closing sockets.
extension Reactor {
    /// Opens a socket.
    ///
    /// - Parameters:
    ///   - kind: The kind, as in `Router.self`.
    ///   - options: The options; by default those of the kind.
    /// - Returns: A token for the socket.
    /// - Throws: ``ZeroMQError`` with code `invalid_option`, `too_many_descriptors` or `closed`.
    public func open<Kind: SocketKind>(
        _ kind: Kind.Type,
        options: SocketOptions = Kind.defaultOptions
    ) throws(ZeroMQError) -> Socket<Kind> {
        guard !isClosed else { throw .closed("The reactor") }
        guard let handle = zmq_socket(context, Kind.pattern.number) else {
            let number = zmq_errno()
            if number == EMFILE || number == ENFILE { throw .tooManyDescriptors("A socket could not be opened") }
            throw ZeroMQError(
                .system,
                "A socket could not be opened: \(ZeroMQError.text(number)).",
                next: "Look the reason up in the manual of zmq_socket."
            )
        }
        do {
            try options.apply(to: handle, pattern: Kind.pattern)
        } catch {
            zmq_close(handle)
            throw error
        }
        let socket = sockets.add(handle, pattern: Kind.pattern, options: options)
        pollSet.add(.socket(socket), handle: handle, events: socket.interest)
        return Socket(token: socket.token)
    }

    /// Binds a socket where only this machine can reach it.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - endpoint: The endpoint; the operating system fills in a `*`.
    /// - Returns: The endpoint with everything filled in: with `tcp://127.0.0.1:*` the real port.
    /// - Throws: ``ZeroMQError``, with code `address_in_use` for an endpoint that is taken.
    @discardableResult
    public func bind<Kind>(_ socket: Socket<Kind>, to endpoint: LocalEndpoint) throws(ZeroMQError) -> Endpoint {
        try bind(find(socket), to: endpoint.endpoint, .plain)
    }

    /// Binds a socket for encrypted connections from peers that the authenticator allows.
    ///
    /// This resolves a name or an interface on the reactor's thread.
    ///
    /// - Parameters:
    ///   - socket: The socket; everything it binds is a CURVE server.
    ///   - endpoint: The endpoint; the operating system fills in a `*`.
    ///   - server: The server's keys, and the authenticator that decides about clients.
    /// - Returns: The endpoint with everything filled in: with `tcp://127.0.0.1:*` the real port.
    /// - Throws: ``ZeroMQError``, with code `address_in_use` for an endpoint that is taken.
    @discardableResult
    public func bind<Kind>(
        _ socket: Socket<Kind>,
        to endpoint: Endpoint,
        as server: CurveServer
    ) throws(ZeroMQError) -> Endpoint {
        guard server.authenticator.reactor == ObjectIdentifier(self) else {
            throw ZeroMQError(
                .insecure,
                "The authenticator for \(endpoint) belongs to another reactor, which cannot answer for this one.",
                next: "Make it with this reactor's `authenticate`."
            )
        }
        return try bind(find(socket), to: endpoint, .server(server))
    }

    /// Connects a socket to an endpoint without encryption, now or as soon as a server is there.
    ///
    /// It returns before the connection is up; libzmq connects, and reconnects, in the background.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - endpoint: The endpoint, without `*`.
    /// - Throws: ``ZeroMQError`` with code `invalid_endpoint` or `closed`. A missing server is not an error.
    public func connect(_ socket: Socket<some ConnectingSocket>, to endpoint: Endpoint) throws(ZeroMQError) {
        try connect(find(socket), to: endpoint, .plain)
    }

    /// Connects a socket with encryption to a server that holds the given key, now or as soon as it is there.
    ///
    /// libzmq does not reconnect after the server has refused the key. A client that is allowed later must connect
    /// again.
    ///
    /// - Parameters:
    ///   - socket: The socket; all its connections are those of a CURVE client.
    ///   - endpoint: The endpoint, without `*`.
    ///   - client: The client's keys and the server's.
    /// - Throws: ``ZeroMQError`` with code `invalid_endpoint` or `closed`. A missing server, or one that refuses the
    ///   key, is not an error here; ``events(of:)`` reports it.
    public func connect(
        _ socket: Socket<some ConnectingSocket>,
        to endpoint: Endpoint,
        as client: CurveClient
    ) throws(ZeroMQError) {
        try connect(find(socket), to: endpoint, .client(client))
    }

    /// Ends a connection, or the attempts to make it.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - endpoint: The endpoint that it was connected to.
    /// - Throws: ``ZeroMQError`` with code `not_found` when it is not connected there.
    public func disconnect(_ socket: Socket<some ConnectingSocket>, from endpoint: Endpoint) throws(ZeroMQError) {
        let socket = try find(socket)
        guard zmq_disconnect(socket.handle, endpoint.text) == 0 else {
            throw .failure(zmq_errno(), "could not be left", endpoint)
        }
    }

    /// Stops listening on an endpoint; when this returns, it is free for others.
    ///
    /// Its accepted connections end, too.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - endpoint: The endpoint that ``bind(_:to:)`` returned.
    /// - Throws: ``ZeroMQError`` with code `not_found` when it is not bound there.
    public func unbind<Kind>(_ socket: Socket<Kind>, from endpoint: Endpoint) throws(ZeroMQError) {
        let socket = try find(socket)
        guard let index = socket.boundEndpoints.firstIndex(of: endpoint) else {
            throw .failure(ENOENT, "could not be unbound", endpoint)
        }
        release([endpoint], of: socket)
        socket.boundEndpoints.remove(at: index)
    }

    /// Closes a socket; when this returns, its endpoints are free for others.
    ///
    /// libzmq sends its queue in the background, for at most `linger`. A message sequence on the socket ends. Closing
    /// again does nothing.
    ///
    /// - Parameter socket: The socket.
    public func close<Kind>(_ socket: Socket<Kind>) {
        guard let socket = sockets[socket.token] else { return }
        release(socket.boundEndpoints, of: socket)
        discard(socket)
    }

    /// Closes a socket whose endpoints are free or about to be.
    func discard(_ socket: OpenSocket) {
        socket.isOpen = false
        if let monitor = socket.monitor {
            pollSet.remove(monitor.handle)
            monitor.close()
            socket.monitor = nil
        }
        pollSet.remove(socket.handle)
        sockets.remove(socket)
        zmq_close(socket.handle)
        endWaits(of: socket)
        (socket.writableWork, socket.eventHandler, socket.eventsEnd) = ([], nil, nil)
        (socket.intake, socket.subscription.handler) = (.none, nil)
    }

    /// Ends all waits for a closed socket.
    private func endWaits(of socket: OpenSocket) {
        socket.intake.finish()
        socket.eventsEnd?()
        tell(socket.outboxes.removeAll(), of: socket)
        for wait in socket.publisherWaits { wait.end(.closed("The socket")) }
        for wait in socket.subscription.waits { wait.end(.closed("The socket")) }
        (socket.publisherWaits, socket.subscription.waits) = ([], [])
    }

    func find<Kind>(_ socket: Socket<Kind>) throws(ZeroMQError) -> OpenSocket {
        guard let open = sockets[socket.token] else { throw .closed("\(socket)") }
        return open
    }
}
