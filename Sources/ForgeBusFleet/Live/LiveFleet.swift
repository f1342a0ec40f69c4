import ForgeBusClient
package import ForgeBusProtocol
import ForgeLocks
import ZeroMQ

/// Watches a fleet over the connections of a client, so that a gateway knows at each moment who is silent and what fails.
///
/// One lock protects the board; answers come from the client's one thread, and each request is a task.
package final class LiveFleet: Sendable {
    private enum Event: Sendable {
        case tick
        case connected(Name)
        case heard(Name)
        case watchEnded(Name)
        case answered(Name, FleetBoard.Ask, Answer.Content)
        case failed(Name, FleetBoard.Ask, BusError, HandshakeFailure?)
    }

    package let client: FleetClient
    /// The principal for whom the monitors are read; nil for workers without keys.
    private let reader: Name?
    private let board: Guarded<FleetBoard>
    private let workers: [Name: Inventory.Worker]
    private let listeners = Guarded<[RequestID: AsyncStream<Void>.Continuation]>([:])

    package init(_ client: FleetClient, readingFor reader: Name? = nil) {
        (self.client, self.reader) = (client, reader)
        board = Guarded(FleetBoard(client.inventory, at: .now))
        workers = Dictionary(uniqueKeysWithValues: client.inventory.workers.map { ($0.name, $0) })
    }

    /// Watches until the task is cancelled.
    package func run() async {
        let (events, sender) = AsyncStream<Event>.makeStream()
        await withDiscardingTaskGroup { group in
            group.addTask {
                while !Task.isCancelled {
                    sender.yield(.tick)
                    try? await Task.sleep(for: .seconds(1))
                }
            }
            var revision = 0
            for await event in events {
                let (effects, now) = board.withLock { (Self.take(event, &$0), $0.revision) }
                for effect in effects { group.addTask { [self] in await carryOut(effect, sender) } }
                if now != revision { for listener in listeners.withLock({ $0.values }) { listener.yield() } }
                revision = now
            }
            group.cancelAll()
        }
    }

    private static func take(_ event: Event, _ board: inout FleetBoard) -> [FleetBoard.Effect] {
        let now = ContinuousClock.now
        switch event {
        case .tick: return board.tick(at: now)
        case .connected(let worker): return board.connected(worker, at: now)
        case .heard(let worker): board.heard(worker)
        case .watchEnded(let worker): board.watchEnded(worker)
        case .answered(let worker, let ask, let content): return board.answered(worker, ask, content, at: now)
        case .failed(let worker, let ask, let error, let handshake):
            return board.failed(worker, ask, error, handshake, at: now)
        }
        return []
    }

    private func carryOut(_ effect: FleetBoard.Effect, _ sender: AsyncStream<Event>.Continuation) async {
        switch effect {
        case .follow(let name):
            guard let worker = workers[name], let client = try? client.connection(to: worker) else { return }
            for await state in client.connection {
                if case .connected = state { sender.yield(.connected(name)) }
            }
        case .watch(let name):
            await watch(name, sender)
            sender.yield(.watchEnded(name))
        case .ask(let name, let ask): await self.ask(name, ask, sender)
        }
    }

    private func watch(_ name: Name, _ sender: AsyncStream<Event>.Continuation) async {
        guard let worker = workers[name], let client = try? client.connection(to: worker) else { return }
        do throws(BusError) {
            let asker = if let reader { try await client.acting(for: reader.text) } else { client }
            var events = try await asker.events(matching: "monitor.>", buffering: 16).makeAsyncIterator()
            while try await events.next(isolation: nil) != nil { sender.yield(.heard(name)) }
        } catch {
            // Refused or closed: LIST tells the same, later.
        }
    }

    private func ask(_ name: Name, _ ask: FleetBoard.Ask, _ sender: AsyncStream<Event>.Continuation) async {
        guard let worker = workers[name] else { return }
        var connection: BusClient?
        do throws(BusError) {
            var connected = try client.connection(to: worker)
            connection = connected
            let principal: Name? =
                switch ask.step {
                case .greeting, .ping: nil
                case .listing: reader
                case .notifying(_, let principal): principal
                }
            if let principal { connected = try await connected.acting(for: principal.text) }
            let answer = try await connected.ask(ask.step.command, patience: FleetBoard.pingInterval)
            sender.yield(.answered(name, ask, answer))
        } catch {
            sender.yield(.failed(name, ask, error, connection?.handshakeFailure))
        }
    }
}

extension FleetBoard.Step {
    fileprivate var command: Request.Command {
        switch self {
        case .greeting: .hello
        case .ping: .ping([])
        case .listing(let cursor): .list(ListRequest(kind: .monitors, limit: 100, cursor: cursor))
        case .notifying(let topic, _):
            .notify(StateChange(topic: topic, wantsEvaluation: true, deadline: FleetBoard.notifyInterval))
        }
    }
}

// MARK: - What is known

extension LiveFleet {
    /// How many workers are in each state, and how many of the monitors that `isShown` chooses.
    package func summary(where isShown: (_ worker: Name, _ monitor: Name) -> Bool) -> FleetBoard.Summary {
        board.withLock { $0.summary(at: .now, where: isShown) }
    }

    /// A topic that each monitor follows.
    package var topics: [Name: Name] { board.withLock { $0.topics } }

    /// When the latest notification of the topic was sent; nil if none is remembered.
    package func change(on topic: Name) -> ContinuousClock.Instant? { board.withLock { $0.change(on: topic) } }

    /// A value after each change of a state, until the reader ends.
    package func changes() -> AsyncStream<Void> {
        let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = RequestID.random()
        listeners.withLock { $0[id] = continuation }
        continuation.onTermination = { [weak self] _ in _ = self?.listeners.withLock { $0.removeValue(forKey: id) } }
        return changes
    }
}

// MARK: - Asking for somebody

extension LiveFleet {
    /// Reads monitors for a principal; each worker that is not silent decides.
    ///
    /// An answer that was long on its way cannot prove that a cycle began after the change; what is known by an earlier
    /// answer still holds.
    package func monitors(
        _ choice: MonitorChoice,
        since change: ContinuousClock.Instant?,
        on selection: Selection,
        for principal: Name?
    ) async -> FleetReport {
        let report = await besideSilent(selection) { await asker(principal).monitors(choice, since: change, on: $0) }
        return change.map { change in board.withLock { $0.completed(report, since: change) } } ?? report
    }

    /// Reads what the workers tell of themselves, for a principal; each worker that is not silent decides.
    package func workers(on selection: Selection, for principal: Name?) async -> FleetReport {
        await besideSilent(selection) { await asker(principal).workers(on: $0) }
    }

    /// Notifies the workers for the principal, and remembers that, so that those who are away are asked when they are back.
    ///
    /// Only a notification of all workers is remembered, and only if not all who answered have refused it.
    package func notify(
        _ change: StateChange,
        on selection: Selection,
        for principal: Name?,
        progress: FleetClient.Progress? = nil
    ) async -> FleetReport {
        let start = ContinuousClock.now
        let remember = { @Sendable [self] in
            board.withLock {
                if $0.change(on: change.topic) != start { $0.notified(change.topic, for: principal, at: start) }
            }
        }
        let report = await besideSilent(selection) { asked in
            await asker(principal).notify(change, on: asked) { lines in
                if selection == .all, lines.contains(where: \.isTaken) { remember() }
                progress?(lines)
            }
        }
        if selection == .all, !report.lines.contains(where: { $0.state == .refused }) { remember() }
        board.withLock { board in
            board.reported(report.lines, since: start)
            for name in workers.keys { board.heard(name) }
        }
        return report
    }

    package func asker(_ principal: Name?) -> FleetClient {
        principal.map { client.acting(for: $0.text) } ?? client
    }

    /// Asks the workers that are not silent; of the others, it is known that they would not answer.
    private func besideSilent(
        _ selection: Selection,
        _ ask: (Selection) async -> FleetReport
    ) async -> FleetReport {
        let contacts = board.withLock { $0.contacts }
        var (asked, silent): (Set<Name>, [FleetReport.Line]) = ([], [])
        for worker in client.inventory.workers where selection.contains(worker) {
            guard let contact = contacts[worker.name], contact.state == .silent else {
                asked.insert(worker.name)
                continue
            }
            let time = ContinuousClock.now - contact.since
            silent.append(FleetReport.Line(worker.name, nil, .silent, because: Errors.silent(for: time)))
        }
        let report = await ask(.names(asked))
        return silent.isEmpty ? report : FleetReport([report.lines, silent])
    }
}

extension FleetReport.Line {
    /// Whether the worker has taken the notification.
    fileprivate var isTaken: Bool { state == .converged || state == .waived || state == .excluded || state.isUnderWay }
}

extension FleetState {
    fileprivate var isUnderWay: Bool { self == .pending || self == .failed || self == .overdue || self == .notYet }
}
