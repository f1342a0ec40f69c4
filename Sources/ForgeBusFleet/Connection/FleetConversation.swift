import ForgeBusClient
import ForgeBusProtocol
import ZeroMQ

/// Carries out what a core decides: one conversation with all workers, from the first question to the report.
struct FleetConversation {
    private enum Event: Sendable {
        case accepted(Name)
        case answered(Name, Answer.Content)
        case failed(Name, BusError, HandshakeFailure?)
        case woke
        case cancelled
    }

    private let connections: FleetConnections
    private let patience: Duration
    private let principal: String?
    private let progress: FleetClient.Progress?

    init(
        _ connections: FleetConnections,
        patience: Duration,
        _ principal: String?,
        _ progress: FleetClient.Progress?
    ) {
        (self.connections, self.patience) = (connections, patience)
        (self.principal, self.progress) = (principal, progress)
    }

    /// Asks until the core is done; if the task is cancelled, the report tells what is known then.
    func hold(_ start: FleetCore) async -> FleetReport {
        let (events, sender) = AsyncStream<Event>.makeStream()
        return await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                var core = start
                var workers: [Name: Inventory.Worker] = [:]
                for worker in core.workers { workers[worker.name] = worker }
                var look: ContinuousClock.Instant?
                func carryOut(_ effects: [FleetCore.Effect]) {
                    for effect in effects {
                        switch effect {
                        case .ask(let name, let command, let id):
                            guard let worker = workers[name] else { break }
                            group.addTask { await ask(worker, command, id, sender) }
                        case .release(let name):
                            // On a connection that is kept, others may wait for answers, too; this wait ends with the
                            // conversation.
                            if !connections.keeps { group.addTask { await connections.drop(name) } }
                        case .wake(let moment):
                            if let look, look <= moment { break }
                            look = moment
                            group.addTask {
                                try? await Task.sleep(until: moment, clock: .continuous)
                                sender.yield(.woke)
                            }
                        }
                    }
                }
                carryOut(core.begin(at: .now))
                if !core.isOver {
                    for await event in events {
                        switch event {
                        case .accepted(let name): core.accepted(name)
                        case .answered(let name, let content):
                            carryOut(core.answered(name, content, at: .now))
                            progress?(core.lines(of: name))
                        case .failed(let name, let error, let handshake):
                            carryOut(core.failed(name, error, handshake, at: .now))
                            progress?(core.lines(of: name))
                        case .woke:
                            look = nil
                            carryOut(core.woke(at: .now))
                        case .cancelled: carryOut(core.stop())
                        }
                        if core.isOver { break }
                    }
                }
                group.cancelAll()
                return core.report
            }
        } onCancel: {
            sender.yield(.cancelled)
        }
    }

    private func ask(
        _ worker: Inventory.Worker,
        _ command: Request.Command,
        _ id: RequestID?,
        _ sender: AsyncStream<Event>.Continuation
    ) async {
        var client: BusClient?
        do throws(BusError) {
            var connected = try connections.client(of: worker)
            client = connected
            if let principal { connected = try await connected.acting(for: principal) }
            let answer = try await connected.ask(command, id: id ?? .random(), patience: patience) { news in
                if case .accepted = news { sender.yield(.accepted(worker.name)) }
            }
            sender.yield(.answered(worker.name, answer))
        } catch {
            sender.yield(.failed(worker.name, error, client?.handshakeFailure))
        }
    }
}
