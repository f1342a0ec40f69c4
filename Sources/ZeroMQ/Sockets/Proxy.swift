import CZeroMQ

/// Two sockets between which a reactor moves all messages, both ways, until it is stopped or a socket is closed.
///
/// Made by ``Reactor/proxy(_:_:)``. The reactor serves other sockets meanwhile.
public struct Proxy: Sendable {
    let reactor: Reactor
    let front: SocketToken
    let back: SocketToken

    /// Stops moving messages; those that wait stay in the queues, and then the peers wait.
    public func pause() async { await reactor.setPaused(true, self) }

    /// Moves messages again after ``pause()``.
    public func resume() async { await reactor.setPaused(false, self) }

    /// Ends the proxy; the sockets stay open, and whoever receives on them next gets what was not moved.
    public func stop() async { await reactor.stop(self) }

    /// How many messages a ``Router`` could not pass on, because their peer had gone or had no room.
    ///
    /// All other kinds make the proxy wait: a message that one side has no room for stays on the other side.
    public var dropped: Int {
        get async { await reactor.dropped(self) }
    }
}

/// One way of a proxy.
///
/// It moves frames and copies nothing. Owned by the reactor thread.
final class Forwarding {
    enum End {
        /// No message waits.
        case drained
        /// The sink has no room for the message whose first frame is held.
        case full
        /// Others have their turn.
        case turnOver
    }

    let source: OpenSocket
    let sink: OpenSocket
    private let capture: OpenSocket?
    private let frame = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
    private let copy = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
    /// Whether `frame` is the first frame of a message for which the sink had no room.
    private var isHolding = false
    /// Whether the capturing socket gets the current message: it gets whole messages or nothing.
    private var isCapturing = false
    /// Whether the first frame of the current message has been sent.
    private var isInside = false
    private(set) var dropped = 0

    init(from source: OpenSocket, to sink: OpenSocket, capture: OpenSocket?) {
        (self.source, self.sink, self.capture) = (source, sink, capture)
        zmq_msg_init(frame)
        zmq_msg_init(copy)
    }

    deinit {
        zmq_msg_close(frame)
        zmq_msg_close(copy)
        frame.deallocate()
        copy.deallocate()
    }

    /// Moves whole messages, at most so many.
    func move(atMost most: Int) -> End {
        guard sink.isOpen else { return .drained }
        for _ in 0..<most {
            if !isHolding, !receive() { return .drained }
            guard let isPassed = pass() else { return .full }
            if !isPassed { dropped += 1 }
        }
        return .turnOver
    }

    /// Passes on the message whose first frame has been received.
    ///
    /// - Returns: False if it was dropped; nil if the sink has no room now.
    private func pass() -> Bool? {
        var hasMore = zmq_msg_more(frame) != 0
        isCapturing = capture?.isOpen == true
        let error = sendFrame(hasMore)
        // A router's other peers must not wait for one that reads slowly.
        isHolding = error == EAGAIN && sink.kind != ZMQ_ROUTER
        if isHolding { return nil }
        while hasMore, receive() {
            hasMore = zmq_msg_more(frame) != 0
            if error == 0 { _ = sendFrame(hasMore) }
        }
        return error == 0
    }

    /// Passes on a message that somebody had read before; false while the sink has no room.
    func pass(_ message: Message) -> Bool {
        guard sink.isOpen else { return true }
        let whole = message.peer.map { peer in
            var whole = Message([peer.withUnsafeBytes { Array($0) }])
            for index in 0..<message.count { whole.append(message[index]) }
            return whole
        }
        switch (whole ?? message).send(on: sink.handle) {
        case .sent: return true
        case .full where sink.kind != ZMQ_ROUTER: return false
        case .full, .unreachable, .refused:
            dropped += 1
            return true
        }
    }

    /// Takes a message back that is held, so that somebody else can have it.
    func takeBack() -> Message? {
        guard isHolding else { return nil }
        isHolding = false
        var message = Message()
        repeat {
            message.append(UnsafeRawBufferPointer(start: zmq_msg_data(frame), count: zmq_msg_size(frame)))
        } while zmq_msg_more(frame) != 0 && receive()
        return message
    }

    private func receive() -> Bool {
        while zmq_msg_recv(frame, source.handle, ZMQ_DONTWAIT) < 0 {
            if zmq_errno() != EINTR { return false }
        }
        return true
    }

    /// Sends the frame, and a copy of it to whoever captures.
    ///
    /// - Returns: 0, or the error number; the frame is then still there.
    private func sendFrame(_ hasMore: Bool) -> Int32 {
        let flags = hasMore ? ZMQ_DONTWAIT | ZMQ_SNDMORE : ZMQ_DONTWAIT
        if isCapturing { zmq_msg_copy(copy, frame) }
        var error: Int32 = 0
        while zmq_msg_send(frame, sink.handle, flags) < 0 {
            error = zmq_errno()
            if error != EINTR { break }
            error = 0
        }
        // A frame in the middle is copied also if the sink's peer has gone meanwhile; one whose message waits is not.
        if error == 0 || isInside, let capture, isCapturing {
            while zmq_msg_send(copy, capture.handle, flags) < 0 {
                if zmq_errno() == EINTR { continue }
                // What has begun must be finished, or libzmq would take the next message for its rest.
                if !isInside { isCapturing = false }
                break
            }
        }
        isInside = hasMore && (error == 0 || isInside)
        return error
    }
}

extension Reactor {
    /// Moves all messages between two sockets, both ways where both kinds can.
    ///
    /// The usual pairs are ``Router`` and ``Dealer``, ``XSub`` and ``XPub``, and ``Pull`` and ``Push``. The sockets have no
    /// other receiver meanwhile, and an ``XPub`` does not count its subscriptions. A side that has no room makes
    /// the other side wait, and its peers in the end; only a ``Router`` drops messages for a peer that has gone or has no
    /// room (``Proxy/dropped``).
    ///
    /// - Parameters:
    ///   - front: A socket.
    ///   - back: Another socket.
    /// - Returns: The proxy.
    /// - Throws: ``ZeroMQError`` with code `closed`.
    @discardableResult
    public func proxy<Front, Back>(_ front: Socket<Front>, _ back: Socket<Back>) throws(ZeroMQError) -> Proxy {
        try proxy(find(front), find(back), capture: nil)
    }

    /// Moves all messages between two sockets as ``proxy(_:_:)`` does, and sends a copy of each to a third one.
    ///
    /// - Parameters:
    ///   - front: A socket.
    ///   - back: Another socket.
    ///   - capture: The socket that gets the copies; it never makes the proxy wait, and gets none while it has no room.
    /// - Returns: The proxy.
    /// - Throws: ``ZeroMQError`` with code `closed`.
    @discardableResult
    public func proxy<Front, Back>(
        _ front: Socket<Front>,
        _ back: Socket<Back>,
        capture: Socket<some SendingSocket>
    ) throws(ZeroMQError) -> Proxy {
        try proxy(find(front), find(back), capture: find(capture))
    }

    private func proxy(
        _ front: OpenSocket,
        _ back: OpenSocket,
        capture: OpenSocket?
    ) throws(ZeroMQError) -> Proxy {
        for (source, sink) in [(front, back), (back, front)] where source.receives && sink.sends {
            setIntake(.proxy(Forwarding(from: source, to: sink, capture: capture)), of: source)
        }
        return Proxy(reactor: self, front: front.token, back: back.token)
    }

    /// Moves messages in this turn; a source whose sink has no room rests until it has.
    func forward(_ forwarding: Forwarding) {
        let (source, sink) = (forwarding.source, forwarding.sink)
        while let first = source.leftovers.first, forwarding.pass(first) { source.leftovers.removeFirst() }
        guard !source.leftovers.isEmpty || forwarding.move(atMost: options.messagesPerTurn) == .full else { return }
        source.isStalled = true
        pollSet.update(source)
        sink.writableWork.append { [self] in
            guard source.isOpen, case .proxy(let current) = source.intake, current === forwarding else { return }
            source.isStalled = false
            pollSet.update(source)
            if source.isReceiving { forward(forwarding) }
        }
        pollSet.update(sink)
    }

    fileprivate func setPaused(_ isPaused: Bool, _ proxy: Proxy) {
        for token in [proxy.front, proxy.back] {
            if let socket = sockets[token] { setPaused(isPaused, socket) }
        }
    }

    fileprivate func stop(_ proxy: Proxy) {
        for token in [proxy.front, proxy.back] {
            guard let socket = sockets[token], case .proxy(let forwarding) = socket.intake else { continue }
            let isRouting = socket.kind == ZMQ_ROUTER || socket.kind == ZMQ_STREAM
            if let held = forwarding.takeBack() { socket.leftovers.append(isRouting ? held.routed : held) }
            setIntake(socket.kind == ZMQ_XPUB ? .subscriptions(nil) : .none, of: socket)
        }
    }

    fileprivate func dropped(_ proxy: Proxy) -> Int {
        [proxy.front, proxy.back].reduce(0) { count, token in
            if case .proxy(let forwarding)? = sockets[token]?.intake { count + forwarding.dropped } else { count }
        }
    }
}

extension OpenSocket {
    fileprivate var receives: Bool { kind != ZMQ_PUB && kind != ZMQ_PUSH }
    fileprivate var sends: Bool { kind != ZMQ_SUB && kind != ZMQ_PULL }
}

extension Message {
    /// The message with its first frame as the peer.
    fileprivate var routed: Message {
        var message = Message()
        for index in 1..<max(count, 1) { message.append(self[index]) }
        if count > 0 { message.peer = PeerID(bytes: self[0]) }
        return message
    }
}
