import DequeModule
public import ForgeBusClient
public import ForgeBusProtocol
import ForgeLocks

/// The connection of a gateway to a worker in another process.
///
/// For a worker with keys, the client's key needs the right `act_as` for each request that the gateway sends.
public final class ClientBus: GatewayBus {
    private let client: BusClient
    private let lanes: Guarded<[Lane]>

    /// A connection, on which a request id belongs to one principal, because answers name only the id of their request.
    private final class Lane: Sendable {
        let client: BusClient
        let turns = Turns()
        let owners = Guarded(RequestOwners())

        init(_ client: BusClient) { self.client = client }
    }

    /// The most connections: so many principals can use the same request id at about the same time.
    private static let mostLanes = 8

    /// Makes a bus of a client.
    ///
    /// When several principals use the same request id, the bus opens further connections.
    ///
    /// - Parameter client: The client; make it with `retriesRefusals: false`, so that users hear of a busy worker at
    ///   once.
    public init(_ client: BusClient) {
        self.client = client
        lanes = Guarded([Lane(client)])
    }

    /// Sends a request over the client's connection; see ``GatewayBus/answers(to:)``.
    public func answers(to request: Request) async -> AsyncStream<Answer.Content> {
        if case .watch(let watch) = request.command { return await events(watch, for: request.principal) }
        guard let lane = lane(for: request) else { return .refusal(Errors.sharedID(request.id)) }
        // A client refuses a second request with an id that it still waits for.
        guard await lane.turns.take(request.id) else { return .refusal(Errors.gaveUp(request.id)) }
        return await lane.client.answers(to: request) { lane.turns.release(request.id) }
    }

    /// The connection on which no other principal has used the request's id; nil if there is none left.
    private func lane(for request: Request) -> Lane? {
        lanes.withLock { lanes in
            for lane in lanes where lane.owners.withLock({ $0.admits(request) }) { return lane }
            guard lanes.count < Self.mostLanes else { return nil }
            let lane = Lane(client.sibling())
            _ = lane.owners.withLock { $0.admits(request) }
            lanes.append(lane)
            return lane
        }
    }

    /// The events of a watch that the client keeps open, also over a lost connection.
    private func events(_ watch: WatchRequest, for principal: Name?) async -> AsyncStream<Answer.Content> {
        let (answers, continuation) = AsyncStream<Answer.Content>
            .makeStream(bufferingPolicy: .bufferingNewest(1024))
        let reading = Task { [client] in
            do throws(BusError) {
                let sender = if let principal { try await client.acting(for: principal.text) } else { client }
                var events = try await sender.events(matching: watch.pattern).makeAsyncIterator()
                while let event = try await events.next(isolation: nil) { continuation.yield(.event(event)) }
            } catch {
                continuation.yield(.error(error))
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in reading.cancel() }
        return answers
    }
}

/// Lets tasks that use the same id go one after another.
final class Turns: Sendable {
    /// The tasks that wait for each id that is in use.
    private let waiting = Guarded<[RequestID: [OneShot<Void>]]>([:])

    /// Waits until no other task uses the id.
    ///
    /// - Returns: Whether the task may use the id, and must call ``release(_:)`` after that; false if it was cancelled.
    func take(_ id: RequestID) async -> Bool {
        let turn = OneShot<Void>()
        waiting.withLock { waiting in
            if waiting[id] == nil {
                waiting[id] = []
                turn.set()
            } else {
                waiting[id]?.append(turn)
            }
        }
        if (try? await turn.value()) != nil { return true }
        let hasWaited = waiting.withLock { waiting in
            guard let index = waiting[id]?.firstIndex(where: { $0 === turn }) else { return false }
            waiting[id]?.remove(at: index)
            return true
        }
        // The id became this task's while the task was being cancelled.
        if !hasWaited { release(id) }
        return false
    }

    /// Gives the id to the task that has waited for it the longest, if one waits.
    func release(_ id: RequestID) {
        let next = waiting.withLock { waiting -> OneShot<Void>? in
            if waiting[id]?.isEmpty == false { return waiting[id]?.removeFirst() }
            waiting[id] = nil
            return nil
        }
        next?.set()
    }
}

/// Remembers which principal used each of the latest request ids.
///
/// All principals share one connection, and an answer identifies its request only by the id. A late answer to a request
/// of one principal must not be taken for the answer to a request of another.
struct RequestOwners {
    private var owners: [RequestID: Name] = [:]
    private var order: Deque<RequestID> = []

    /// How many ids are remembered; an answer is not expected after this many further requests.
    private static let limit = 65_536

    /// Whether no other principal has used the request's id; records the id for the principal.
    mutating func admits(_ request: Request) -> Bool {
        guard let principal = request.principal else { return true }
        if let owner = owners[request.id] { return owner == principal }
        owners[request.id] = principal
        order.append(request.id)
        if order.count > Self.limit, let oldest = order.popFirst() { owners[oldest] = nil }
        return true
    }
}

extension AsyncStream<Answer.Content> {
    fileprivate static func refusal(_ error: BusError) -> Self {
        let (answers, continuation) = makeStream()
        continuation.yield(.error(error))
        continuation.finish()
        return answers
    }
}
