import ForgeBusProtocol
import ZeroMQ

/// Hands events to watchers.
extension WorkerLoop {
    /// Hands an event to its connection.
    ///
    /// The core learns whether the connection took the event. The loop sends the next event of the watch only after
    /// that, because the next event reports how many events were lost.
    func tell(_ told: ToldEvent, _ reactor: isolated Reactor) {
        guard let event = core.watches.event(for: told) else { return }
        postman.send(Answer(to: told.key.request, .event(event)), telling: told, to: told.key.caller, reactor)
    }
}
