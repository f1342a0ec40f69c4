import ForgeBusProtocol
import ZeroMQ

/// Requests from their beginning to their end.
extension ClientLoop {
    func begin(_ request: Request, _ ticket: Call.Ticket, _ ears: Call.Ears, _ reactor: isolated Reactor) {
        let id = request.id
        guard !isClosed else { return ears.end(.failure(.closed(id))) }
        guard calls[id] == nil, watches[id] == nil else { return ears.end(.failure(.twice(id))) }
        let message = encoded(request)
        if let error = BusError.tooLarge(message) { return ears.end(.failure(error)) }
        guard load.add(message.sizeInBytes) else { return ears.end(.failure(.outboxFull(id, settings.limits))) }
        let now = ContinuousClock.now
        if calls.isEmpty { lastHeard = now }
        callsBegun += 1
        let outstanding = Outstanding(
            request.command,
            patience: settings.patience,
            isRetried: settings.retriesRefusals,
            firstPause: settings.resendsAfter,
            at: now
        )
        calls[id] = Call(
            ticket: ticket,
            number: callsBegun,
            message: message,
            isCounted: request.command.isAnsweredAtOnce,
            outstanding: outstanding,
            ears: ears
        )
        if isConnected, calls[id]?.outstanding.connected(at: now) == true { send(id, reactor) }
        scheduleCheck(of: id, reactor)
        listen(reactor)
        knock(reactor)
    }

    /// An answer to a call has come.
    func take(_ answer: Answer, for id: RequestID, _ reactor: isolated Reactor) {
        guard let arrival = calls[id]?.outstanding.received(answer, at: .now, using: &generator) else { return }
        switch arrival {
        case .repetition: break
        case .refusal: scheduleCheck(of: id, reactor)
        case .news:
            scheduleCheck(of: id, reactor)
            calls[id]?.ears.news(answer.content)
        case .end:
            if case .error(let error) = answer.content {
                end(id, .failure(error), reactor)
            } else {
                end(id, .success(answer.content), reactor)
            }
        }
    }

    func end(_ id: RequestID, _ result: Result<Answer.Content, BusError>, _ reactor: isolated Reactor) {
        guard let call = calls.removeValue(forKey: id) else { return }
        load.remove(call.message.sizeInBytes)
        if let timer = call.timer { reactor.cancel(timer) }
        call.ears.end(result)
        if call.isQueued, let place = queue.firstIndex(of: id) { queue.remove(at: place) }
        if window.ended(id) || call.isQueued { sendQueued(reactor) }
    }

    /// Looks at a call again when its value says so.
    func scheduleCheck(of id: RequestID, _ reactor: isolated Reactor) {
        guard let call = calls[id] else { return }
        if let timer = call.timer { reactor.cancel(timer) }
        let now = ContinuousClock.now
        let moment = call.outstanding.nextCheck(at: now, silence: now - lastHeard)
        calls[id]?.timer = reactor.schedule(at: moment) { [self] reactor in
            calls[id]?.timer = nil
            check(id, reactor)
        }
    }

    private func check(_ id: RequestID, _ reactor: isolated Reactor) {
        let now = ContinuousClock.now
        switch calls[id]?.outstanding.check(at: now, silence: now - lastHeard) {
        case .wait, nil: break
        case .resend: send(id, reactor)
        case .giveUp(let refusal):
            let error = refusal ?? .timeout(id, at: settings.endpoint, handshakeFailure)
            return end(id, .failure(error), reactor)
        }
        scheduleCheck(of: id, reactor)
    }

    /// Listens to the worker's silence, as long as anybody waits: a PONG tells a long run from a worker that is gone.
    private func listen(_ reactor: isolated Reactor) {
        guard !isListening else { return }
        isListening = true
        reactor.schedule(at: .now.advanced(by: longestSilence / 2)) { [self] reactor in
            isListening = false
            guard !calls.isEmpty else { return }
            ping(reactor)
            listen(reactor)
        }
    }

    private func ping(_ reactor: isolated Reactor) {
        let now = ContinuousClock.now
        guard isConnected, min(now - lastHeard, now - lastPing) >= longestSilence else { return }
        lastPing = now
        // Nobody waits for its PONG, but it ends the silence.
        reactor.send(encoded(Request(.ping([]))), on: socket)
    }

    /// How long the worker may be silent, while requests are outstanding, before it is pinged.
    private var longestSilence: Duration { max(min(.seconds(2), settings.patience / 4), .milliseconds(10)) }
}
