import CZeroMQ

/// The control path: opening, binding, connecting, closing.
extension Reactor {
    /// Opens a socket.
    ///
    /// - Parameters:
    ///   - kind: What the socket can do, as in `Router.self`.
    ///   - options: How it behaves; by default as suits the kind.
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
        let socket = sockets.add(handle, options: options)
        pollSet.add(socket)
        return Socket(token: socket.token)
    }

    /// Binds a socket to an endpoint, so that others can connect to it.
    ///
    /// A name or an interface is resolved on the reactor's thread.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - endpoint: Where; what the operating system fills in may be `*`.
    /// - Returns: The endpoint with everything filled in: with `tcp://127.0.0.1:*` the real port.
    /// - Throws: ``ZeroMQError``, for an endpoint that is taken with code `address_in_use`.
    @discardableResult
    public func bind<Kind>(_ socket: Socket<Kind>, to endpoint: Endpoint) throws(ZeroMQError) -> Endpoint {
        let socket = try find(socket)
        if case .ipc(let path) = endpoint.transport { try IPCPath(path: path).checkFree() }
        try prepare(socket, for: endpoint)
        guard zmq_bind(socket.handle, endpoint.text) == 0 else {
            throw .failure(zmq_errno(), "could not be bound", endpoint)
        }
        let bound = try lastEndpoint(of: socket)
        socket.boundEndpoints.append(bound)
        return bound
    }

    /// Connects a socket to an endpoint, now or as soon as somebody is there.
    ///
    /// It returns before the connection is up; libzmq connects, and reconnects, in the background.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - endpoint: Where, without `*`.
    /// - Throws: ``ZeroMQError`` with code `invalid_endpoint` or `closed`. That nobody is there is no error.
    public func connect(_ socket: Socket<Dealer>, to endpoint: Endpoint) throws(ZeroMQError) {
        let socket = try find(socket)
        guard !endpoint.isWildcard else {
            throw ZeroMQError(
                .invalidEndpoint,
                "\(endpoint) could not be connected to: it stands for any address or port.",
                next: "Use the endpoint that `bind` returned."
            )
        }
        try prepare(socket, for: endpoint)
        guard zmq_connect(socket.handle, endpoint.text) == 0 else {
            throw .failure(zmq_errno(), "could not be connected to", endpoint)
        }
    }

    /// Ends a connection, or the attempts at one.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - endpoint: What it was connected to.
    /// - Throws: ``ZeroMQError`` with code `not_found` when it is not connected there.
    public func disconnect(_ socket: Socket<Dealer>, from endpoint: Endpoint) throws(ZeroMQError) {
        let socket = try find(socket)
        guard zmq_disconnect(socket.handle, endpoint.text) == 0 else {
            throw .failure(zmq_errno(), "could not be left", endpoint)
        }
    }

    /// Stops listening on an endpoint; when this returns, it is free for others.
    ///
    /// The connections that were accepted there end, too.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - endpoint: What ``bind(_:to:)`` returned.
    /// - Throws: ``ZeroMQError`` with code `not_found` when it is not bound there.
    public func unbind<Kind>(_ socket: Socket<Kind>, from endpoint: Endpoint) throws(ZeroMQError) {
        let socket = try find(socket)
        guard let index = socket.boundEndpoints.firstIndex(of: endpoint) else {
            throw .failure(ENOENT, "could not be unbound", endpoint)
        }
        ListenerRelease(context: context, socket: socket).release([endpoint])
        socket.boundEndpoints.remove(at: index)
    }

    /// Closes a socket; when this returns, its endpoints are free for others.
    ///
    /// What it has not transmitted yet goes out in the background, for as long as its `linger` says. A message sequence
    /// on it ends. Closing again does nothing.
    ///
    /// - Parameter socket: The socket.
    public func close<Kind>(_ socket: Socket<Kind>) {
        guard let socket = sockets[socket.token] else { return }
        ListenerRelease(context: context, socket: socket).release(socket.boundEndpoints)
        discard(socket)
    }

    /// Closes a socket whose endpoints are given up or about to be.
    func discard(_ socket: OpenSocket) {
        socket.isOpen = false
        pollSet.remove(socket)
        sockets.remove(socket)
        zmq_close(socket.handle)
        socket.intake.finish()
        (socket.writableWork, socket.intake) = ([], .none)
    }

    func find<Kind>(_ socket: Socket<Kind>) throws(ZeroMQError) -> OpenSocket {
        guard let open = sockets[socket.token] else { throw .closed("\(socket)") }
        return open
    }

    private func prepare(_ socket: OpenSocket, for endpoint: Endpoint) throws(ZeroMQError) {
        guard endpoint.needsIPv6, !socket.options.ipv6 else { return }
        try OptionSetter(socket: socket.handle).set(ZMQ_IPV6, "ipv6", 1)
    }

    private func lastEndpoint(of socket: OpenSocket) throws(ZeroMQError) -> Endpoint {
        let text = withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
            var size = buffer.count
            guard zmq_getsockopt(socket.handle, ZMQ_LAST_ENDPOINT, buffer.baseAddress, &size) == 0 else { return "" }
            // The size counts the zero at the end.
            return String(decoding: buffer[..<max(size - 1, 0)], as: UTF8.self)
        }
        return try Endpoint(text)
    }
}

extension SocketPattern {
    /// libzmq's number for the pattern.
    fileprivate var number: Int32 {
        self == .router ? ZMQ_ROUTER : ZMQ_DEALER
    }
}
