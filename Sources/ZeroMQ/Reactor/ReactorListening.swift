import CZeroMQ

/// The steps of binding and connecting, for the public methods and for listeners that the reactor binds again.
extension Reactor {
    func bind(
        _ socket: OpenSocket,
        to endpoint: Endpoint,
        _ security: SocketSecurity
    ) throws(ZeroMQError) -> Endpoint {
        if case .ipc(let path) = endpoint.transport { try IPCPath(path: path).checkFree() }
        try prepare(socket, for: endpoint, security)
        // A listener is monitored from the start, because libzmq keeps a processor busy while a listener cannot accept.
        if !endpoint.isInproc { try openMonitor(of: socket) }
        guard zmq_bind(socket.handle, endpoint.text) == 0 else {
            throw Errors.failure(bindError(of: socket, zmq_errno()), "\(endpoint) could not be bound", endpoint)
        }
        let bound = try lastEndpoint(of: socket)
        socket.listeners.append(OpenSocket.Listener(endpoint: bound, security: security))
        return bound
    }

    func connect(_ socket: OpenSocket, to endpoint: Endpoint, _ security: SocketSecurity) throws(ZeroMQError) {
        guard !endpoint.isWildcard else {
            throw Errors.wildcard(endpoint)
        }
        try prepare(socket, for: endpoint, security)
        guard zmq_connect(socket.handle, endpoint.text) == 0 else {
            throw Errors.failure(zmq_errno(), "The connection to \(endpoint) could not be opened", endpoint)
        }
    }

    /// Binds a socket to one of its endpoints again, with the same keys as before.
    ///
    /// - Returns: Whether the socket listens on the endpoint now.
    func listen(_ socket: OpenSocket, _ listener: OpenSocket.Listener) -> Bool {
        let endpoint = listener.endpoint
        // Another program may serve on the path by now, and libzmq would take the path from that program.
        if case .ipc(let path) = endpoint.transport, (try? IPCPath(path: path).checkFree()) == nil { return false }
        // The socket has the keys of its latest endpoint, and libzmq copies the socket's keys when it binds.
        guard (try? listener.security.apply(to: socket.handle)) != nil else { return false }
        return zmq_bind(socket.handle, endpoint.text) == 0
    }

    /// Unbinds a socket's endpoints and waits until they are free.
    func release(_ endpoints: [Endpoint], of socket: OpenSocket) {
        var awaited = Set<String>()
        for endpoint in endpoints where zmq_unbind(socket.handle, endpoint.text) == 0 {
            // libzmq frees an inproc name immediately, and without a report.
            if !endpoint.isInproc { awaited.insert(endpoint.text) }
        }
        if !awaited.isEmpty { awaitClosed(awaited, of: socket) }
    }

    private func prepare(
        _ socket: OpenSocket,
        for endpoint: Endpoint,
        _ security: SocketSecurity
    ) throws(ZeroMQError) {
        switch (socket.kind, security) {
        case (ZMQ_STREAM, .server), (ZMQ_STREAM, .client): throw Errors.unencryptedKind(endpoint)
        case (ZMQ_REQ, .server): throw Errors.encryptedReq(endpoint)
        default: break
        }
        if let current = socket.security, current.mechanism != security.mechanism {
            throw Errors.otherSecurity(endpoint, security.mechanism, current: current.mechanism)
        }
        if endpoint.needsIPv6, !socket.options.ipv6 {
            try SocketOption.ipv6.set(true, on: socket.handle)
        }
        try security.apply(to: socket.handle)
        try socket.options.applyMaximumMessageSize(to: socket.handle, envelope: security.envelopeSize)
        socket.security = security
    }

    /// The error number of a failed bind, from the monitor's report.
    ///
    /// libzmq may overwrite `errno` when it sends the report, so `number` counts only if no report came.
    private func bindError(of socket: OpenSocket, _ number: Int32) -> Int32 {
        takeEvents(of: socket)
        return socket.monitor?.takeBindError() ?? number
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
