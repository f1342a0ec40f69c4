import CZeroMQ

/// Opening, binding, connecting and closing sockets.
extension Reactor {
    /// Opens a socket.
    ///
    /// - Parameters:
    ///   - kind: The kind of socket, such as `Router.self`.
    ///   - options: The socket's options; by default the options of the kind.
    /// - Returns: A handle for the socket.
    /// - Throws: ``ZeroMQError``: `invalid_option` for an option outside its range, `too_many_descriptors`, `closed` if
    ///   the reactor is shut down, or `system`.
    public func open<Kind: SocketKind>(
        _ kind: Kind.Type,
        options: SocketOptions? = nil
    ) throws(ZeroMQError) -> Socket<Kind> {
        guard !isClosed else { throw Errors.reactorClosed }
        let options = options ?? SocketOptions(for: kind)
        guard let handle = zmq_socket(shared.pointer, Kind.number) else {
            let number = zmq_errno()
            if number == EMFILE || number == ENFILE {
                throw Errors.tooManyDescriptors("A socket could not be opened", number)
            }
            throw Errors.socket(number)
        }
        do {
            try options.apply(to: handle, kind: Kind.number)
        } catch {
            zmq_close(handle)
            throw error
        }
        let socket = sockets.add(handle, kind: Kind.number, options: options) { [weak self] token in
            self?.submit { reactor in reactor.readOn(token) }
        }
        pollSet.add(.socket(socket), handle: handle, events: socket.interest)
        return Socket(token: socket.token, reactor: self, inbox: socket.inbox)
    }

    /// Binds a socket, without encryption, to an endpoint that only this machine can reach.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - endpoint: The endpoint; with `*` as the port, the operating system selects a free port.
    /// - Returns: The endpoint with the real port, for instance `tcp://127.0.0.1:49152` for `tcp://127.0.0.1:*`.
    /// - Throws: ``ZeroMQError``, for instance `address_in_use` if another socket is bound to the endpoint.
    @discardableResult
    public func bind<Kind>(_ socket: Socket<Kind>, to endpoint: LocalEndpoint) throws(ZeroMQError) -> Endpoint {
        try bind(find(socket), to: endpoint.endpoint, .plain)
    }

    /// Binds a socket without encryption to an endpoint that other machines may reach: anybody may connect, read and write.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - endpoint: The endpoint; `*` as the host means all interfaces, and `*` as the port means a free port.
    ///   - admission: Says what this call does.
    /// - Returns: The endpoint with the real port.
    /// - Throws: ``ZeroMQError``, for instance `address_in_use` if another socket is bound to the endpoint.
    @discardableResult
    public func bind<Kind>(
        _ socket: Socket<Kind>,
        to endpoint: Endpoint,
        _ admission: OpenAdmission
    ) throws(ZeroMQError) -> Endpoint {
        try bind(find(socket), to: endpoint, .plain)
    }

    /// Binds a socket for encrypted connections from peers that the authenticator allows.
    ///
    /// The reactor's thread resolves the name of a host or an interface; this may block the thread.
    ///
    /// - Parameters:
    ///   - socket: The socket; its other endpoints must be bound with a ``CurveServer``, too, whose keys may differ.
    ///   - endpoint: The endpoint; `*` as the host means all interfaces, and `*` as the port means a free port.
    ///   - server: The server's keys, and the authenticator that decides about clients.
    /// - Returns: The endpoint with the real port, for instance `tcp://10.0.0.1:49152` for `tcp://10.0.0.1:*`.
    /// - Throws: ``ZeroMQError``, for instance `address_in_use` if another socket is bound to the endpoint, or
    ///   `insecure` if the authenticator belongs to another reactor.
    @discardableResult
    public func bind<Kind>(
        _ socket: Socket<Kind>,
        to endpoint: Endpoint,
        as server: CurveServer
    ) throws(ZeroMQError) -> Endpoint {
        guard server.authenticator.context == ObjectIdentifier(shared) else {
            throw Errors.foreignAuthenticator(for: endpoint)
        }
        return try bind(find(socket), to: endpoint, .server(server))
    }

    /// Connects a socket to an endpoint without encryption, now or as soon as a server listens there.
    ///
    /// The call returns before the connection is established; libzmq connects, and reconnects, in the background.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - endpoint: The endpoint, without `*`.
    /// - Throws: ``ZeroMQError``: `invalid_endpoint`, `closed`, or `invalid_option` if the socket uses encryption for
    ///   another endpoint. A missing server is not an error.
    public func connect(_ socket: Socket<some SocketKind>, to endpoint: Endpoint) throws(ZeroMQError) {
        try connect(find(socket), to: endpoint, .plain)
    }

    /// Connects a socket with encryption to the server that holds a given key, now or as soon as the server listens.
    ///
    /// libzmq does not reconnect after the server has refused the client's key. If the server allows the key later, the
    /// program must connect again.
    ///
    /// - Parameters:
    ///   - socket: The socket; all its connections must use encryption as a client.
    ///   - endpoint: The endpoint, without `*`.
    ///   - client: The client's keys and the server's public key.
    /// - Throws: ``ZeroMQError``: `invalid_endpoint`, `closed`, or `invalid_option` if another endpoint of the socket
    ///   uses no encryption, or uses encryption as a server. A missing server or a refused key is not an error;
    ///   ``events(of:)`` reports both.
    public func connect(
        _ socket: Socket<some SocketKind>,
        to endpoint: Endpoint,
        as client: CurveClient
    ) throws(ZeroMQError) {
        try connect(find(socket), to: endpoint, .client(client))
    }

    /// Ends a connection, or the attempts to establish it.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - endpoint: The endpoint that the socket was connected to.
    /// - Throws: ``ZeroMQError``: `not_found` if the socket was not connected to the endpoint, or `closed`.
    public func disconnect(_ socket: Socket<some SocketKind>, from endpoint: Endpoint) throws(ZeroMQError) {
        let socket = try find(socket)
        guard zmq_disconnect(socket.handle, endpoint.text) == 0 else {
            let number = zmq_errno()
            guard number != ENOENT else {
                throw Errors.notConnected(to: endpoint)
            }
            throw Errors.failure(number, "\(endpoint) could not be disconnected", endpoint)
        }
    }

    /// Stops listening on an endpoint; when the call returns, other sockets can bind the endpoint.
    ///
    /// Connections that were accepted on the endpoint end, too.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - endpoint: The endpoint that ``bind(_:to:)`` returned.
    /// - Throws: ``ZeroMQError``: `not_found` if the socket is not bound to the endpoint, or `closed`.
    public func unbind<Kind>(_ socket: Socket<Kind>, from endpoint: Endpoint) throws(ZeroMQError) {
        let socket = try find(socket)
        guard let index = socket.listeners.firstIndex(where: { $0.endpoint == endpoint }) else {
            throw Errors.notBound(to: endpoint)
        }
        socket.listeners.remove(at: index)
        release([endpoint], of: socket)
    }

    /// Ends all connections that were accepted on a socket's endpoints, and listens on the endpoints again.
    ///
    /// Peers connect again, unless the authenticator refuses their keys now.
    ///
    /// - Parameter socket: The socket.
    /// - Throws: ``ZeroMQError``: `closed`, or `address_in_use` for an endpoint that cannot be bound again; the socket
    ///   then no longer listens there.
    public func rebind<Kind>(_ socket: Socket<Kind>) throws(ZeroMQError) {
        let socket = try find(socket)
        let listeners = socket.listeners
        socket.listeners = []
        release(listeners.map(\.endpoint), of: socket)
        for listener in listeners {
            // An event handler may have closed the socket meanwhile.
            guard socket.isOpen else { throw Errors.closed("The socket") }
            _ = try bind(socket, to: listener.endpoint, listener.security)
        }
    }

    /// Closes a socket; when the call returns, other sockets can bind its endpoints.
    ///
    /// libzmq sends the queued messages in the background, for at most ``SocketOptions/linger``. A message sequence of
    /// the socket ends. Closing a socket again does nothing.
    ///
    /// - Parameter socket: The socket.
    public func close<Kind>(_ socket: Socket<Kind>) {
        guard let socket = sockets[socket.token] else { return }
        release(socket.boundEndpoints, of: socket)
        discard(socket)
    }

    /// Closes a socket whose endpoints are already unbound; does nothing if a handler has closed it meanwhile.
    func discard(_ socket: OpenSocket) {
        guard socket.isOpen else { return }
        socket.isOpen = false
        if let monitor = socket.monitor {
            pollSet.remove(monitor.handle)
            monitor.close()
            socket.monitor = nil
        }
        pollSet.remove(socket.handle)
        sockets.remove(socket)
        zmq_close(socket.handle)
        socket.inbox.finish()
        socket.eventsEnd?()
        for wait in socket.waits { end(wait, Errors.closed("The socket")) }
        let work = socket.writableWork
        (socket.writableWork, socket.eventHandler, socket.eventsEnd) = ([], nil, nil)
        (socket.intake, socket.subscription.handler) = (.none, nil)
        // It finds the socket closed.
        for work in work { work() }
    }

    func find<Kind>(_ socket: Socket<Kind>) throws(ZeroMQError) -> OpenSocket {
        guard let open = sockets[socket.token] else { throw Errors.closed("\(socket)") }
        return open
    }
}
