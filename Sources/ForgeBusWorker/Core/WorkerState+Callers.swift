import ForgeBusProtocol

/// What the core knows of connections: who is gone, and who waits for more than first answers.
extension WorkerState {
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

    /// Ends what a caller waits for, because another principal speaks on its connection now.
    mutating func forget(_ caller: Caller) {
        watches.closeAll(of: caller)
        evaluations.forgetAll(of: caller)
        runs.detachAll { listener, _ in listener.caller == caller }
    }

    /// The connections that wait for answers after the first answer, such as events, results and EVALUATED.
    var listening: Set<ConnectionID> {
        var connections = Set(watches.connections)
        connections.formUnion(evaluations.callers.map(\.connection))
        for run in runs.unfinished { connections.formUnion(run.audience.listeners.lazy.map(\.caller.connection)) }
        return connections
    }
}
