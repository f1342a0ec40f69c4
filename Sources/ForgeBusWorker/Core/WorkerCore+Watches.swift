import ForgeBusProtocol
import ZeroMQ

/// Telling whoever watches what happens: ids and states, never what messages hold.
extension WorkerCore {
    mutating func watch(_ request: WatchRequest, _ received: Received) {
        let key = WatchKey(caller: received.caller, request: received.request.id)
        if let shortage = watches.shortage(for: key, of: received.principal) {
            return refuse(received, .busy("watches", shortage.cause))
        }
        guard watches.open(key, request, for: received.principal) else {
            return refuse(received, .conflict(received.request.id, nil))
        }
    }

    /// The connections to be looked at before this is decided: a watch finds room if one of them is gone.
    func doubtfulConnections(before received: Received, at now: Moment) -> Set<PeerID> {
        guard case .watch = received.request.command,
            case .allowed = access.ruling(on: received.request.command, of: received.principal)
        else { return [] }
        let key = WatchKey(caller: received.caller, request: received.request.id)
        return watches.doubtful(for: key, of: received.principal, at: now)
    }

    mutating func unwatch(_ received: Received) {
        watches.close(WatchKey(caller: received.caller, request: received.request.id))
        emit(.answer(Answer(to: received.request.id, .ok(StateReport(.unwatched))), to: received.caller))
    }

    /// An event was handed to its connection, or lost because that has no room.
    mutating func told(_ told: WatchBook.Told, isTaken: Bool) {
        guard isTaken else { return watches.lost(told) }
        guard watches.taken(told) else { return }
        emit(.answer(Answer(to: told.key.request, .ok(StateReport(.creditEnded))), to: told.key.caller))
    }

    /// A run's state changed.
    mutating func publish(_ run: Run, _ state: StateReport.State) {
        publish(run.id, of: run.pipeline, state)
    }

    mutating func publish(_ run: RunID, of pipeline: PipelineName, _ state: StateReport.State) {
        guard !watches.isEmpty else { return }
        let body: JSONObject = [
            "run": .string(run.text), "pipeline": .string(pipeline.text), "state": .string(state.rawValue),
        ]
        publish(.run(run, of: pipeline), body)
    }

    /// A signal's state changed: `waiting`, `approved`, `rejected`, `expired` or `closed`.
    mutating func publish(_ signal: SignalID, _ state: String) {
        guard !watches.isEmpty else { return }
        publish(.signal(signal), ["signal": .string(signal.text), "state": .string(state)])
    }

    /// A monitor's state changed.
    mutating func publish(monitor index: Int) {
        guard !watches.isEmpty else { return }
        let lane = lanes[index]
        let body: JSONObject = [
            "monitor": .string(lane.name.text), "state": .string(lane.stateName),
            "cycles": .integer(Int64(lane.cycles)),
        ]
        publish(.monitor(lane.name), body)
    }

    private mutating func publish(_ subject: EventSubject, _ body: JSONObject) {
        let access = access
        for told in watches.tell(
            subject,
            body,
            mayRead: { access.ruling(for: $0, .read, on: .event(subject)) == .allowed }
        ) {
            emit(.tell(told))
        }
    }
}

extension WatchBook.Shortage {
    fileprivate var cause: String {
        switch self {
        case .ofConnection: "This connection has too many watches."
        case .ofPrincipal: "There are too many watches of one principal."
        case .inAll: "There are too many watches."
        }
    }
}
