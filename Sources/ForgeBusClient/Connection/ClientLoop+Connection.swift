import ForgeBusProtocol
import ZeroMQ

/// Sends requests on the connection, receives answers, and sends the waiting requests again on a new connection.
extension ClientLoop {
    func observe(_ event: SocketEvent, _ reactor: isolated Reactor) {
        switch event {
        case .handshakeSucceeded:
            loggedFailures.removeAll()
            switch connection.handshakeSucceeded() {
            case .nothing: break
            case .greet(let hello): _ = transmit(encoded(Request(.hello, id: hello)), reactor)
            case .sendEverything: established(nil, reactor)
            }
        case .disconnected:
            if connection.disconnected() {
                // Answers that came before the end of the connection count, so pass on those that the reactor has not
                // read yet.
                if let socket { reactor.drain(socket) }
                board.show(.lost(endpoint, reason: Self.connectionEnded))
                interruptEverything()
            }
            moveOn(because: Self.connectionEnded, reactor)
        case .handshakeFailed(_, let failure):
            log(failure)
            board.handshakeFailed(failure)
            let reason = "The handshake failed: \(failure.cause)."
            board.show(.lost(endpoint, reason: reason))
            failed(failure, reactor)
            moveOn(because: reason, reactor)
        case .connectRetried, .closed:
            board.attemptEnded()
            moveOn(because: "No process listens at this endpoint, or its host cannot be reached.", reactor)
        case .connected: board.foundSomebody()
        case .listening, .bindFailed, .accepted, .acceptFailed, .connectDelayed, .other: break
        }
    }

    private static let connectionEnded = "The connection ended."

    /// Begins to send requests on the new connection.
    private func established(_ welcome: Welcome?, _ reactor: isolated Reactor) {
        board.show(.connected(ConnectedWorker(endpoint: endpoint, welcome: welcome)))
        silence.connected(at: .now)
        endWhatIsElsewhere(reactor)
        sendEverything(reactor)
    }

    /// Ends the calls whose requests may have reached a worker with another store than the connected worker.
    ///
    /// If the client sent such a request again, the connected worker would not recognise it, and would carry it out a
    /// second time.
    private func endWhatIsElsewhere(_ reactor: isolated Reactor) {
        for (id, call) in calls where !connection.permits(call.reach) {
            giveUp(id, because: Errors.otherStore(id, at: endpoint, among: settings.endpoints), reactor)
        }
    }

    /// Ends all calls and watches, because all endpoints refuse the client's key.
    ///
    /// A worker may still carry out a request that was sent before the refusal.
    private func endWhatIsRefused(_ reactor: isolated Reactor) {
        let key = settings.identity?.keys.publicKey
        for (id, call) in calls {
            giveUp(id, because: call.reach == .nowhere ? Errors.refused(key) : Errors.shutOut(id, key), reactor)
        }
        for id in Array(watches.keys) { endWatch(id, .failure(Errors.refused(key)), reactor) }
    }

    /// Sends all waiting requests, in the order of their calls; the worker recognises repeated requests by their ids.
    private func sendEverything(_ reactor: isolated Reactor) {
        // Watches come first: a PING that follows a WATCH must show that the watch has begun.
        for id in Array(watches.keys) { askForCredit(id, reactor) }
        let now = ContinuousClock.now
        for call in calls.values.sorted(by: { $0.number < $1.number }) {
            let id = call.ticket.id
            if calls[id]?.outstanding.connected(at: now) == true { send(id, reactor) }
            scheduleCheck(of: id, reactor)
        }
    }

    func interruptEverything() {
        for id in Array(calls.keys) { calls[id]?.outstanding.disconnected(lastWord: silence.beginning) }
        for id in Array(watches.keys) { watches[id]?.interrupted() }
    }

    /// Logs a failed handshake, unless the same was logged since the last successful one: libzmq tries several times in
    /// a second.
    private func log(_ failure: HandshakeFailure) {
        guard loggedFailures.insert("\(endpoint) \(failure.cause)").inserted else { return }
        logger.warning(
            Errors.handshakeFailed,
            metadata: ["endpoint": "\(endpoint)", "reason": "\(failure.cause)", "next": "\(failure.advice)"]
        )
    }

    private func failed(_ failure: HandshakeFailure, _ reactor: isolated Reactor) {
        switch connection.handshakeFailed(failure) {
        case .wait: break
        case .endRequests: endWhatIsRefused(reactor)
        case .reconnectLater: connectLater(reactor) { [self] in reconnectIfNeeded(reactor) }
        }
    }

    private func connectLater(_ reactor: isolated Reactor, _ connect: @escaping () -> Void) {
        reactor.schedule(at: .now.advanced(by: ReconnectPace(using: &generator).longest), connect)
    }

    /// Connects again if libzmq does not do so by itself.
    func reconnectIfNeeded(_ reactor: isolated Reactor) {
        if connection.wanted() { reconnect(reactor) }
    }

    private func reconnect(_ reactor: isolated Reactor) {
        guard let socket else { return }
        board.show(.connecting(endpoint))
        do throws(ZeroMQError) {
            // libzmq may still know the endpoint of the failed connection. If libzmq does not know the endpoint any
            // more, the error does not matter.
            try? reactor.disconnect(socket, from: endpoint)
            try reactor.connect(socket, to: endpoint, as: settings.identity)
        } catch {
            logger.error(
                "the client cannot connect to the worker again, and tries again in a few seconds",
                metadata: ["endpoint": "\(endpoint)", "error": "\(error)"]
            )
            connectLater(reactor) { [self] in reconnect(reactor) }
        }
    }

    /// Sends a request, or queues it until the ``Window`` and the socket have room.
    ///
    /// The caller schedules the next check of the request.
    func send(_ id: RequestID, _ reactor: isolated Reactor) {
        let entry = SendQueue.Entry(id: id, isCounted: calls[id]?.isCounted == true)
        var step = connection.queue { $0.offered(entry) }
        if step == .send(entry) { step = hand(entry, reactor) }
        carryOut(step, reactor)
    }

    /// Carries out `first` and the following steps, until the queue has no more request to send now.
    func carryOut(_ first: SendQueue.Step, _ reactor: isolated Reactor) {
        var step = first
        while case .send(let entry) = step {
            step = hand(entry, reactor)
            scheduleCheck(of: entry.id, reactor)
        }
        switch step {
        case .awaitRoom:
            guard let socket else { break }
            reactor.whenWritable(socket) { [self] in carryOut(connection.queue { $0.roomCame() }, reactor) }
        case .askForLimit(let hello):
            switch transmit(encoded(Request(.hello, id: hello)), reactor) {
            case .sent: carryOut(connection.queue { $0.asked() }, reactor)
            case .full: carryOut(connection.queue { $0.notAsked() }, reactor)
            case .unreachable, .refused: break
            }
        case .send, .wait: break
        }
    }

    /// Passes a request to the socket.
    ///
    /// - Returns: The next step of the queue.
    private func hand(_ entry: SendQueue.Entry, _ reactor: isolated Reactor) -> SendQueue.Step {
        let id = entry.id
        guard let message = calls[id]?.message ?? watches[id]?.request.map(encoded) else {
            return connection.queue { $0.dropped(entry) }
        }
        switch transmit(message, reactor) {
        case .sent:
            calls[id]?.outstanding.sent(at: .now, using: &generator)
            calls[id]?.sent(to: connection.reach)
            watches[id]?.watch.sent()
            return connection.queue { $0.sent(entry) }
        case .full: return connection.queue { $0.refused(entry) }
        // The connection has just been lost; on the next one, the client sends everything again.
        case .unreachable, .refused: return connection.queue { $0.dropped(entry) }
        }
    }

    func receive(_ message: Message, _ reactor: isolated Reactor) {
        silence.heard(at: .now)
        guard let frames = Frames(count: message.count, frame: { message[$0] }) else {
            return logger.warning(
                "an answer was not understood, because it does not have five frames",
                metadata: [
                    "endpoint": "\(endpoint)", "frames": "\(message.count)",
                    "next": "Check that a worker listens at the endpoint, and not another program.",
                ]
            )
        }
        do throws(BusError) {
            let answer = try Answer(decoding: frames)
            // An answer without an id belongs to no request of this client. An answer with an unknown id belongs to a
            // call that has ended.
            guard let id = answer.id else { return }
            if connection.isGreeting(id) { return greeted(by: answer.content, reactor) }
            connection.answered()
            carryOut(connection.queue { $0.heard(answer.content, for: id) }, reactor)
            if watches[id] == nil { take(answer, for: id, reactor) } else { tell(answer, watch: id, reactor) }
        } catch {
            logger.warning(
                "an answer was not understood; its request may have been carried out",
                metadata: [
                    "endpoint": "\(endpoint)", "error": "\(error)",
                    "request": "\(Printable.escaped(String(decoding: frames.id, as: UTF8.self)))",
                ]
            )
            guard let id = try? RequestID(bytes: frames.id) else { return }
            misunderstood(Answer.word(of: frames), for: id, error, reactor)
        }
    }

    /// Ends the call or watch whose answer cannot be read, unless more answers may follow.
    private func misunderstood(_ word: AnswerWord?, for id: RequestID, _ error: BusError, _ reactor: isolated Reactor) {
        if connection.isGreeting(id) { return moveOn(because: error.message, reactor) }
        switch word {
        case .progress, .event, nil: break
        case .welcome, .accepted, .result, .evaluated, .verdict, .ok, .shown, .page, .pong, .error:
            giveUp(id, because: error, reactor)
            endWatch(id, .failure(error), reactor)
        }
    }

    /// Handles the answer to the HELLO that asks the worker for its store.
    private func greeted(by content: Answer.Content, _ reactor: isolated Reactor) {
        if case .welcome(let welcome) = content {
            connection.greeted(welcome)
            established(welcome, reactor)
        } else if case .error(let error) = content {
            moveOn(because: "The worker refused the client's HELLO: \(error.message)", reactor)
        } else {
            moveOn(because: "The worker did not answer HELLO with WELCOME.", reactor)
        }
    }
}
