import ForgeBusProtocol
import ZeroMQ

/// Handing events to those who watch, and noticing who is gone.
extension WorkerLoop {
    /// Hands an event to its connection; the core learns what became of it before the next is handed over, which tells it.
    func tell(_ told: ToldEvent, _ reactor: isolated Reactor) {
        guard let event = core.watches.event(for: told) else { return }
        send(Answer(to: told.key.request, .event(event)), telling: told, to: told.key.caller, reactor)
    }

    /// Ends the watches of connections that are gone, where a new one finds no room otherwise.
    func lookForRoom(before received: Received, _ reactor: isolated Reactor) {
        // Asked of each message: nothing of the core is looked at for most.
        guard case .watch = received.request.command else { return }
        let doubtful = core.doubtfulConnections(before: received, at: now())
        guard !doubtful.isEmpty, let id = try? RequestID("worker.\(core.configuration.runPrefix)") else { return }
        // Under an id that nobody waits for: whoever is still there passes over it.
        let pong = Pong(worker: core.configuration.name, state: core.phase, body: [])
        let word = message(Answer(to: id, .pong(pong)))
        let gone = doubtful.filter { connection in
            guard let peer = connection.peer else { return !submissions.isOpen(connection) }
            return reactor.offer(word, on: socket, to: peer) == .unreachable
        }
        step(.probed(gone: Array(gone)), reactor)
    }
}
