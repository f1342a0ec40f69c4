import ForgeBusProtocol
import ZeroMQ

/// Hands events to watchers, and finds connections that are gone.
extension WorkerLoop {
    /// Hands an event to its connection.
    ///
    /// The core learns whether the connection took the event. The loop sends the next event of the watch only after
    /// that, because the next event reports how many events were lost.
    func tell(_ told: ToldEvent, _ reactor: isolated Reactor) {
        guard let event = core.watches.event(for: told) else { return }
        postman.send(Answer(to: told.key.request, .event(event)), telling: told, to: told.key.caller, reactor)
    }

    /// Ends the watches of connections that are gone, if a new watch would otherwise find no room.
    func lookForRoom(before received: Received, _ reactor: isolated Reactor) {
        // Called for each message, so most return here without reading the core.
        guard case .watch = received.request.command else { return }
        let doubtful = core.doubtfulConnections(before: received, at: now())
        guard !doubtful.isEmpty, let id = try? RequestID("worker.\(core.configuration.runPrefix)") else { return }
        // No client waits for an answer under this id, so a client that is still connected ignores it.
        let pong = Pong(worker: core.configuration.name, state: core.phase, body: [])
        let word = postman.message(Answer(to: id, .pong(pong)))
        let gone = doubtful.filter { connection in
            guard let socket, let peer = connection.peer else { return !submissions.isOpen(connection) }
            return reactor.send(word, on: socket, to: peer) == .unreachable
        }
        step(.probed(gone: Array(gone)), reactor)
    }
}
