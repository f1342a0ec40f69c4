import ForgeBusProtocol

/// Carries out WATCH and UNWATCH, and sends events to the watches.
extension WorkerState {
    /// Opens a watch; the caller gets an answer only if the watch is refused.
    mutating func watch(_ request: WatchRequest, _ received: Received) {
        let key = WatchKey(caller: received.caller, request: received.request.id)
        if let shortage = watches.shortage(for: key, of: received.principal) {
            let limit: Errors.WatchLimit =
                switch shortage {
                case .ofConnection: .ofConnection
                case .ofPrincipal: .ofPrincipal(received.principal.name)
                case .inAll: .inAll
                }
            return step.refuse(received, Errors.tooManyWatches(limit))
        }
        if !watches.open(key, request, for: received.principal) {
            step.refuse(received, Errors.conflict(received.request.id, nil))
        }
    }

    /// Ends the watches that the access policy no longer allows, and tells their callers why.
    mutating func endWaitsForEvents() {
        for (key, error) in watches.endWaits(under: access) { step.answer(key.caller, key.request, .error(error)) }
    }

    /// Ends a watch at its caller's request.
    mutating func unwatch(_ received: Received) {
        watches.close(WatchKey(caller: received.caller, request: received.request.id))
        step.answer(received, .ok(StateReport(.unwatched)))
    }

    /// Records whether an event reached its connection; answers the caller if the watch ended with this event.
    mutating func told(_ told: ToldEvent, isTaken: Bool) {
        guard isTaken else { return watches.lost(told) }
        if watches.taken(told) { step.answer(told.key.caller, told.key.request, .ok(StateReport(.creditEnded))) }
    }

    /// Inserts the watches' events into the list of effects, each at the place where the step published it.
    mutating func tellWatches() {
        var shift = 0
        for news in step.takeNews() {
            let told = watches.tell(news.subject, news.body) { [access] in
                access.ruling(for: $0, .read, on: .event(news.subject)) == .allowed
            }
            step.insert(told.map { .tell($0) }, at: news.place + shift)
            shift += told.count
        }
    }
}
