import ForgeBusProtocol
import ZeroMQ

/// The connection: what goes out, what comes in, and what is said again when it was lost.
extension ClientLoop {
    func observe(_ event: SocketEvent, _ reactor: isolated Reactor) {
        switch event {
        case .handshakeSucceeded: connected(reactor)
        case .disconnected: disconnected()
        case .handshakeFailed(_, let failure):
            logger.warning("the worker was not reached", metadata: ["reason": "\(failure)"])
            failed(failure, reactor)
        case .listening, .bindFailed, .accepted, .acceptFailed, .connected, .connectDelayed, .connectRetried, .closed,
            .other:
            break
        }
    }

    /// Everything that waits is sent, in the order in which it began: the worker knows by the id what it has already.
    private func connected(_ reactor: isolated Reactor) {
        isConnected = true
        handshakeFailure = nil
        // First the watches, so that they begin before whoever began them hears an answer.
        for id in Array(watches.keys) { askForCredit(id, reactor) }
        let now = ContinuousClock.now
        for call in calls.values.sorted(by: { $0.number < $1.number }) {
            let id = call.ticket.id
            if calls[id]?.outstanding.connected(at: now) == true { send(id, reactor) }
            scheduleCheck(of: id, reactor)
        }
    }

    private func failed(_ failure: HandshakeFailure, _ reactor: isolated Reactor) {
        handshakeFailure = failure
        switch failure {
        // The authenticator's "no" to a key (ZeroMQ RFC 27). It is no more for now than `forbidden` is.
        case .refused(status: 400):
            isGivenUp = true
            failAll(reactor) { _ in .refused(settings.identity?.keys.publicKey) }
        case .refused, .protocolError:
            isGivenUp = true
            let pause = ReconnectPace(using: &generator).longest
            reactor.schedule(at: .now.advanced(by: pause)) { [self] reactor in knock(reactor) }
        // Here libzmq goes on by itself.
        case .ended: break
        }
    }

    /// Connects anew where libzmq tries no more.
    func knock(_ reactor: isolated Reactor) {
        guard isGivenUp, !isClosed else { return }
        isGivenUp = false
        do throws(ZeroMQError) {
            // The connection is gone, and libzmq keeps its name; that it keeps it no longer is no error.
            try? reactor.disconnect(socket, from: settings.endpoint)
            try connect(reactor)
        } catch {
            logger.error("the worker cannot be reached any more", metadata: ["error": "\(error)"])
        }
    }

    private func disconnected() {
        isConnected = false
        window.disconnected()
        queue.removeAll()
        for id in Array(calls.keys) {
            calls[id]?.outstanding.disconnected()
            calls[id]?.isQueued = false
        }
        for id in Array(watches.keys) {
            watches[id]?.isQueued = false
            watches[id]?.interrupted()
        }
    }

    /// Sends a request, or queues it until there is room in the window and in the socket.
    ///
    /// One that has its place in the window waits for nobody: its answer may be lost, and with it the place.
    func send(_ id: RequestID, _ reactor: isolated Reactor) {
        guard isConnected, !isQueued(id) else { return }
        if queue.isEmpty || window.contains(id), transmit(id, reactor) { return }
        queue.append(id)
        calls[id]?.isQueued = true
        watches[id]?.isQueued = true
        waitForRoom(reactor)
    }

    private func isQueued(_ id: RequestID) -> Bool { calls[id]?.isQueued ?? watches[id]?.isQueued ?? false }

    /// - Returns: Whether the request no longer waits for room.
    private func transmit(_ id: RequestID, _ reactor: isolated Reactor) -> Bool {
        if isHeldBack(id) { return false }
        guard let message = calls[id]?.message ?? watches[id]?.request.map(encoded) else { return true }
        switch reactor.send(message, on: socket) {
        case .sent, .queued:
            if calls[id]?.isCounted == true { window.sent(id) }
            calls[id]?.outstanding.sent(at: .now, using: &generator)
            watches[id]?.watch.sent()
            return true
        case .full: return false
        // The connection has just been lost; when it is up again, everything is sent again.
        case .unreachable: return true
        }
    }

    /// Whether the window has no room for it.
    private func isHeldBack(_ id: RequestID) -> Bool { calls[id]?.isCounted == true && !window.admits(id) }

    /// Sees to it that the queue goes on: when an answer makes room in the window, or the socket has room.
    private func waitForRoom(_ reactor: isolated Reactor) {
        guard !isWaitingForRoom, let first = queue.first else { return }
        if isHeldBack(first) {
            return askForNumber(reactor)
        }
        isWaitingForRoom = true
        reactor.whenWritable(socket) { [self] reactor in
            isWaitingForRoom = false
            sendQueued(reactor)
        }
    }

    private func askForNumber(_ reactor: isolated Reactor) {
        guard window.isWorthAsking else { return }
        switch reactor.send(encoded(Request(.hello, id: window.hello)), on: socket) {
        case .sent, .queued: window.asked()
        case .full, .unreachable: break
        }
    }

    /// Sends what was queued, as far as there is room.
    func sendQueued(_ reactor: isolated Reactor) {
        while !isWaitingForRoom, let id = queue.first {
            guard transmit(id, reactor) else { return waitForRoom(reactor) }
            queue.removeFirst()
            calls[id]?.isQueued = false
            watches[id]?.isQueued = false
            scheduleCheck(of: id, reactor)
        }
    }

    func receive(_ message: Message, _ reactor: isolated Reactor) {
        lastHeard = .now
        do throws(BusError) {
            guard let frames = Frames(count: message.count, frame: { message[$0] }) else {
                throw .unexpected("of five frames")
            }
            let answer = try Answer(decoding: frames)
            // An answer without an id is about a message that was none; one with an unknown id came after its patience.
            guard let id = answer.id else { return }
            if window.heard(answer.content, for: id) { sendQueued(reactor) }
            if watches[id] == nil { take(answer, for: id, reactor) } else { tell(answer, watch: id, reactor) }
        } catch {
            logger.warning("an answer was not understood", metadata: ["error": "\(error)"])
        }
    }
}
