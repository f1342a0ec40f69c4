import DequeModule
public import ForgeBusClient
public import ForgeBusProtocol
import ForgeLocks

/// The connection of a gateway to a worker in another process.
///
/// For a worker with keys, the client's key needs the right `act_as` for each request that the gateway sends.
public final class ClientBus: GatewayBus {
    private let client: BusClient
    private let turns = Turns()
    private let owners = Guarded(RequestOwners())

    /// Makes a bus of a client.
    ///
    /// - Parameter client: The client; make it with `retriesRefusals: false`, so that users hear of a busy worker at
    ///   once.
    public init(_ client: BusClient) { self.client = client }

    /// Sends a request over the client's connection; see ``GatewayBus/answers(to:)``.
    public func answers(to request: Request) async -> AsyncStream<Answer.Content> {
        if case .watch(let watch) = request.command { return await events(watch, for: request.principal) }
        guard owners.withLock({ $0.admits(request) }) else { return .refusal(.sharedID(request.id)) }
        // A client refuses a second request with an id that it still waits for.
        await turns.take(request.id)
        return await client.answers(to: request) { [turns] in turns.release(request.id) }
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

    /// Waits until no other task uses the id; each call needs a call of ``release(_:)``.
    func take(_ id: RequestID) async {
        let turn = OneShot<Void>()
        waiting.withLock { waiting in
            if waiting[id] == nil {
                waiting[id] = []
                turn.set()
            } else {
                waiting[id]?.append(turn)
            }
        }
        await turn.valueDespiteCancellation()
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

extension BusError {
    fileprivate static func sharedID(_ id: RequestID) -> BusError {
        BusError(
            .idConflict,
            "Another user of this gateway has used the id \(Printable.quoted(id.text)).",
            next: "Send the request with another id in the header Idempotency-Key, such as a UUID."
        )
    }
}
