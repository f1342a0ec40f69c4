import ForgeBusProtocol
import ZeroMQ

/// Begins, checks and ends calls.
extension ClientLoop {
    func begin(
        _ request: Request,
        _ ticket: Call.Ticket,
        _ ownPatience: Duration?,
        _ listener: Call.Listener,
        _ reactor: isolated Reactor
    ) {
        let (id, patience) = (request.id, ownPatience ?? settings.patience)
        guard !connection.isClosed else { return listener.end(.failure(Errors.closedNoEffect(id))) }
        do throws(ZeroMQError) { try open(on: reactor) } catch {
            return listener.end(.failure(Errors.unreachable(error)))
        }
        guard calls[id] == nil, watches[id] == nil else { return listener.end(.failure(Errors.twice(id))) }
        let message = encoded(request)
        // A worker closes the connection when it receives a frame over 1 MiB.
        let sizes = (0..<message.count).lazy.map { message[$0].count }
        if let size = sizes.first(where: { $0 > WireLimits.frameSizeInBytes }) {
            return listener.end(.failure(Errors.frameTooLarge(sizeInBytes: size)))
        }
        guard load.add(message.sizeInBytes) else {
            return listener.end(.failure(Errors.outboxFull(id, settings.limits)))
        }
        lookAtSilence(for: patience, reactor)
        callsBegun += 1
        let reach = reaches[id]
        let outstanding = Outstanding(
            request.command,
            patience: patience,
            isRetried: settings.retriesRefusals,
            firstPause: settings.resendsAfter,
            mayBeTaken: reach != nil,
            at: .now
        )
        calls[id] = Call(request, as: message, ticket, callsBegun, outstanding, reach ?? .nowhere, listener)
        if connection.isEstablished { sendFirst(id, reactor) }
        scheduleCheck(of: id, reactor)
        reconnectIfNeeded(reactor)
    }

    /// Sends the request of a new call.
    ///
    /// If an earlier call with the same id may have sent the request to another store, the method ends the new call.
    private func sendFirst(_ id: RequestID, _ reactor: isolated Reactor) {
        guard let reach = calls[id]?.reach, connection.permits(reach) else {
            return giveUp(id, because: Errors.otherStore(id, at: endpoint, among: settings.endpoints), reactor)
        }
        if calls[id]?.outstanding.connected(at: .now) == true { send(id, reactor) }
    }

    /// Passes an answer to the call that waits for it, and ends the call after the last answer.
    ///
    /// After a temporary refusal, the method schedules a resend instead. It ignores a repetition of an earlier answer.
    func take(_ answer: Answer, for id: RequestID, _ reactor: isolated Reactor) {
        guard let arrival = calls[id]?.outstanding.received(answer, at: .now, using: &generator) else { return }
        switch arrival {
        case .repetition: break
        case .refusal:
            calls[id]?.refused()
            scheduleCheck(of: id, reactor)
        case .news:
            scheduleCheck(of: id, reactor)
            calls[id]?.listener.news(answer.content)
        case .end:
            if case .error(let error) = answer.content {
                end(id, .failure(error), reactor)
            } else {
                end(id, .success(answer.content), reactor)
            }
        }
    }

    /// Ends a call with `error`; adds the request's id and the store to the error, so that the caller can send again.
    func giveUp(_ id: RequestID, because error: BusError, _ reactor: isolated Reactor) {
        var error = error.code == .badAnswer && calls[id]?.isTiedToStore == true ? Errors.inDoubt(error) : error
        error.details["request"] = .string(id.text)
        // The caller can compare this store with the store of a worker that it reaches later, perhaps from another
        // process.
        if case .store(let store?)? = calls[id]?.reach { error.details["store"] = .string(store) }
        end(id, .failure(error), reactor)
    }

    private func end(_ id: RequestID, _ result: Result<Answer.Content, BusError>, _ reactor: isolated Reactor) {
        guard let call = calls.removeValue(forKey: id) else { return }
        if case .failure = result, call.isTiedToStore, call.outstanding.mayBeTaken {
            reaches.remember(call.reach, of: id)
        }
        load.remove(call.message.sizeInBytes)
        if let timer = call.timer { reactor.cancel(timer) }
        call.listener.end(result)
        carryOut(connection.queue { $0.ended(id) }, reactor)
    }

    /// Schedules the next check of a call, which resends the request or ends the call if the time for it has come.
    func scheduleCheck(of id: RequestID, _ reactor: isolated Reactor) {
        guard let call = calls[id] else { return }
        if let timer = call.timer { reactor.cancel(timer) }
        let now = ContinuousClock.now
        let moment = call.outstanding.nextCheck(at: now, silence: silence.length(at: now))
        calls[id]?.timer = reactor.schedule(at: moment) { [self] in
            calls[id]?.timer = nil
            check(id, reactor)
        }
    }

    private func check(_ id: RequestID, _ reactor: isolated Reactor) {
        let now = ContinuousClock.now
        switch calls[id]?.outstanding.check(at: now, silence: silence.length(at: now)) {
        case .wait, nil: break
        case .resend: send(id, reactor)
        case .giveUp(let refusal):
            if let refusal { return end(id, .failure(refusal), reactor) }
            return giveUp(id, because: unanswered(id), reactor)
        }
        scheduleCheck(of: id, reactor)
    }

    /// The error for a call that the client ends, if the request was not sent or a sent copy got no last answer.
    ///
    /// The code is `timeout` if the worker may have accepted the request, otherwise `unreachable`.
    private func unanswered(_ id: RequestID) -> BusError {
        let (endpoints, failure) = (settings.endpoints, connection.handshakeFailure)
        if let call = calls[id], call.outstanding.mayBeTaken { return Errors.timeout(call, at: endpoints, failure) }
        return connection.isEstablished ? Errors.notTaken(id, at: endpoint) : Errors.notSent(id, to: endpoints, failure)
    }

    /// Records that a call or watch with this patience begins, and checks the worker's silence earlier if necessary.
    func lookAtSilence(for patience: Duration, _ reactor: isolated Reactor) {
        let isFirst = calls.isEmpty && watches.isEmpty
        let look = silence.waitBegan(patience: patience, isFirst: isFirst, at: .now)
        if let look { scheduleLook(at: look, reactor) }
    }

    /// The shortest patience of the waiting calls and the watches; nil if nothing waits.
    private var leastPatience: Duration? {
        let least = calls.values.lazy.map(\.outstanding.patience).min()
        return watches.isEmpty ? least : min(least ?? settings.patience, settings.patience)
    }

    /// Checks the worker's silence at `moment`, and again later while calls or watches wait.
    private func scheduleLook(at moment: ContinuousClock.Instant, _ reactor: isolated Reactor) {
        reactor.schedule(at: moment) { [self] in
            let step = silence.looked(
                scheduledFor: moment,
                leastPatience: leastPatience,
                isConnected: connection.isEstablished,
                hasOthers: connection.hasOthers,
                at: .now
            )
            switch step {
            case .stop: break
            case .look(let next): scheduleLook(at: next, reactor)
            case .ping(let next):
                // No call waits for this PONG; its only purpose is to end the silence.
                _ = transmit(encoded(Request(.ping([]))), reactor)
                scheduleLook(at: next, reactor)
            case .moveOn(let next):
                moveOn(because: "The worker sent nothing for 4 seconds, not even an answer to PING.", reactor)
                scheduleLook(at: next, reactor)
            }
        }
    }
}
