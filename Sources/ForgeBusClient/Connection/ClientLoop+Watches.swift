import ForgeBusProtocol
import ZeroMQ

/// An open watch of the client, with the feed that passes its events to the reader.
///
/// The reactor's thread owns this value, as part of ``ClientLoop``.
struct WatchCall {
    let id: RequestID
    let pattern: NamePattern
    let source: String?
    let principal: Name?
    var watch: Watch
    /// The client does not resend a WATCH after a silence, because the worker does not answer a WATCH that it accepts.
    var resending = Resending(isLedgered: false, firstPause: nil)
    /// Whether the worker refused the watch temporarily, and the client waits before it asks again.
    var isBackingOff = false
    /// When the worker began to refuse the watch; nil if it has sent an event since then, or on a new connection.
    var refusedSince: ContinuousClock.Instant?
    let feed: Feed<BusEvent>

    /// The WATCH that asks for the credit ``Watch/wish``; nil if that credit is zero.
    var request: Request? {
        guard watch.wish > 0 else { return nil }
        return Request(.watch(WatchRequest(pattern, credit: watch.wish)), id: id, source: source, as: principal)
    }

    mutating func interrupted() {
        refusedSince = nil
        _ = watch.interrupted()
    }
}

/// A watch lasts until its reader ends it, and begins again on each new connection.
///
/// It ends with an error if the worker refuses it for longer than the patience: the reader must not wait for events that
/// never come.
extension ClientLoop {
    /// Begins a watch; if it cannot begin, its feed ends with the error.
    func begin(_ watch: WatchCall, _ reactor: isolated Reactor) {
        guard !connection.isClosed else { return watch.feed.finish(.failure(Errors.closedWatch(watch.id))) }
        do throws(ZeroMQError) { try open(on: reactor) } catch {
            return watch.feed.finish(.failure(Errors.unreachable(error)))
        }
        lookAtSilence(for: settings.patience, reactor)
        watches[watch.id] = watch
        reconnectIfNeeded(reactor)
        askForCredit(watch.id, reactor)
    }

    func endWatch(_ id: RequestID, _ end: Result<Void, BusError>, _ reactor: isolated Reactor) {
        guard let watch = watches.removeValue(forKey: id) else { return }
        watch.feed.finish(end)
        carryOut(connection.queue { $0.ended(id) }, reactor)
    }

    func askForCredit(_ id: RequestID, _ reactor: isolated Reactor) {
        if let call = watches[id], call.watch.wish > 0, !call.isBackingOff { send(id, reactor) }
    }

    /// Handles an answer to a watch: an event, a refusal, or an OK with which the worker ends the watch.
    func tell(_ answer: Answer, watch id: RequestID, _ reactor: isolated Reactor) {
        switch answer.content {
        case .event(let event):
            watches[id]?.refusedSince = nil
            watches[id]?.resending.heard(retention: nil, at: .now)
            if let told = watches[id]?.watch.received(event) { watches[id]?.feed.add(told) }
        case .ok: if watches[id]?.watch.interrupted() == true { askForCredit(id, reactor) }
        case .error(let error): refused(id, error, reactor)
        case .welcome, .accepted, .progress, .result, .evaluated, .verdict, .shown, .page, .pong: break
        }
    }

    private func refused(_ id: RequestID, _ error: BusError, _ reactor: isolated Reactor) {
        guard error.isRetryable, settings.retriesRefusals else { return endWatch(id, .failure(error), reactor) }
        watches[id]?.watch.refused()
        let now = ContinuousClock.now
        let moment = watches[id]?.resending.refused(retryAfter: error.retryAfter, at: now, using: &generator)
        guard let moment else { return }
        let since = watches[id]?.refusedSince ?? now
        guard moment - since <= settings.patience else { return endWatch(id, .failure(error), reactor) }
        watches[id]?.refusedSince = since
        watches[id]?.isBackingOff = true
        reactor.schedule(at: moment) { [self] in
            watches[id]?.isBackingOff = false
            askForCredit(id, reactor)
        }
    }
}
