import ForgeBusProtocol

/// Tracks which caller owns a connection, and limits how many answers a connection may leave unread.
extension WorkerState {
    /// Records that `caller` sent a message; called before the core decides on the message.
    ///
    /// If another principal sent on this connection before, the former caller is gone and gets no more answers.
    ///
    /// - Parameters:
    ///   - caller: The sender.
    ///   - connections: How many connections are open; each submission that still waits for answers counts as one.
    /// - Returns: The limit because of which the worker refuses the message with the error `busy`; nil if the worker
    ///   may decide on the message.
    mutating func hear(_ caller: inout Caller, among connections: Int = 0) -> Crowding? {
        if connections > configuration.limits.connections, !callers.knows(caller) { return .connections }
        if let former = callers.heard(&caller) { forget(former) }
        if callers.isOvergrown { callers.sweep(keeping: listening) }
        return callers.isFull(caller) ? .outstanding : nil
    }

    /// Why a request is refused before the core decides on it.
    enum Crowding {
        /// Too many first answers are on their way to the sender's connection.
        case outstanding
        /// Too many connections are open, and the sender's connection is new.
        case connections
    }

    /// Whether the caller may still get answers: no other principal sent the last message on its connection.
    func mayHear(_ caller: Caller) -> Bool { callers.isCurrent(caller) }

    /// Records that a caller gets a first answer from the worker's loop, without a decision of the core.
    mutating func owes(_ caller: Caller) { callers.owes(caller) }

    /// Records that a first answer was handed to its connection, or dropped.
    mutating func answered(_ caller: Caller) { callers.answered(caller) }

    /// Refuses a message that could not be read as a request.
    mutating func refuse(_ error: BusError, to id: RequestID?, of caller: Caller, into list: inout Consequences) {
        callers.owes(caller)
        list.effects.append(.answer(Answer(to: id, .error(error)), to: caller))
    }

    /// The connections to check before the core decides on a WATCH that would exceed a limit.
    ///
    /// If one of these connections no longer exists, its watches end, and the new watch fits. The set is empty for
    /// other requests.
    func doubtfulConnections(before received: Received, at now: Moment) -> Set<ConnectionID> {
        guard case .watch = received.request.command,
            case .allowed = access.ruling(on: received.request.command, of: received.principal)
        else { return [] }
        let key = WatchKey(caller: received.caller, request: received.request.id)
        return watches.doubtful(for: key, of: received.principal, at: now)
    }

    private mutating func forget(_ caller: Caller) {
        watches.closeAll(of: caller)
        evaluations.forgetAll(of: caller)
        runs.detachAll { listener, _ in listener.caller == caller }
    }

    /// The connections that wait for answers after the first answer, such as events, results and EVALUATED.
    private var listening: Set<ConnectionID> {
        var connections = Set(watches.connections)
        connections.formUnion(evaluations.callers.map(\.connection))
        for run in runs.unfinished { connections.formUnion(run.audience.listeners.lazy.map(\.caller.connection)) }
        return connections
    }
}

extension Answer.Content {
    /// Whether the answer counts as the first answer to a request; PROGRESS, RESULT, EVALUATED and EVENT do not count.
    var isFirst: Bool {
        switch self {
        case .accepted, .verdict, .ok, .pong, .welcome, .shown, .page, .error: true
        case .progress, .result, .evaluated, .event: false
        }
    }
}
