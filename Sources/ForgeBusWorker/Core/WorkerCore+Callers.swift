import ForgeBusProtocol

/// Whose connection it is, and how much it may ask before it reads.
extension WorkerCore {
    /// Somebody spoke on a connection, whatever was said; to be asked before it is decided.
    ///
    /// Where another principal spoke on it before, that one's connection is gone: nothing is owed to it any more.
    ///
    /// - Parameters:
    ///   - caller: Who.
    ///   - connections: How many connections are open.
    /// - Returns: The bound for which the request is refused as BUSY, and has no effect; nil if it may be decided.
    mutating func hear(_ caller: inout Caller, among connections: Int = 0) -> Crowding? {
        if connections > configuration.limits.connections, !callers.knows(caller) { return .connections }
        if let former = callers.heard(&caller) { forget(former) }
        if callers.isOvergrown { callers.sweep(keeping: listening) }
        return callers.isFull(caller) ? .outstanding : nil
    }

    /// What there is too much of for a request even to be looked at.
    enum Crowding {
        /// First answers on their way to its connection.
        case outstanding
        /// Open connections, of which this one is new.
        case connections
    }

    /// Whether the caller's connection is still its own.
    func mayHear(_ caller: Caller) -> Bool { callers.isCurrent(caller) }

    /// A first answer is on its way that the core has not decided.
    mutating func owes(_ caller: Caller) { callers.owes(caller) }

    /// A first answer was handed to its connection, or given up.
    mutating func answered(_ caller: Caller) { callers.answered(caller) }

    /// Refuses what could not even be read as a request.
    mutating func refuse(_ error: BusError, to id: RequestID?, of caller: Caller, into list: inout Consequences) {
        callers.owes(caller)
        list.effects.append(.answer(Answer(to: id, .error(error)), to: caller))
    }

    /// The connections to be looked at before this is decided: a watch finds room if one of them is gone.
    func doubtfulConnections(before received: Received, at now: Moment) -> Set<ConnectionID> {
        guard case .watch = received.request.command,
            case .allowed = access.ruling(on: received.request.command, of: received.principal)
        else { return [] }
        let key = WatchKey(caller: received.caller, request: received.request.id)
        return watches.doubtful(for: key, of: received.principal, at: now)
    }

    private mutating func forget(_ caller: Caller) {
        watches.closeAll(of: caller)
        monitors.forgetEvaluations(of: caller)
        runs.detachAll { listener, _ in listener.caller == caller }
    }

    /// The connections that hear more than first answers.
    private var listening: Set<ConnectionID> {
        var connections = Set(watches.connections)
        connections.formUnion(monitors.evaluations.connections)
        for run in runs.unfinished { connections.formUnion(run.audience.listeners.lazy.map(\.caller.connection)) }
        return connections
    }
}

extension Answer.Content {
    /// Whether it is what a request is answered with first; what runs and watches tell later does not count.
    var isFirst: Bool {
        switch self {
        case .accepted, .verdict, .ok, .pong, .welcome, .shown, .page, .error: true
        case .progress, .result, .evaluated, .event: false
        }
    }

    /// BUSY `outstanding`: as much is on its way to the connection as may be.
    static let tooManyOutstanding = Answer.Content.error(
        .busy("outstanding", "Too many answers wait for this connection to read them.")
    )
}

extension BusError {
    /// More connections are open than may be.
    static let tooManyConnections = BusError.busy("connections", "Too many connections are open.")
}
