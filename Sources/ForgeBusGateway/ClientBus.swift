public import ForgeBusClient
public import ForgeBusProtocol
import ForgeLocks

/// The connection of a gateway to a worker in another process.
///
/// For a worker with keys, the client's key needs the right `act_as` for each request that the gateway sends.
public final class ClientBus: GatewayBus {
    private let client: BusClient
    private let turns = Turns()

    /// Makes a bus of a client.
    ///
    /// - Parameter client: The client; make it with `retriesRefusals: false`, so that users hear of a busy worker at
    ///   once.
    public init(_ client: BusClient) { self.client = client }

    /// Sends a request over the client's connection; see ``GatewayBus/answers(to:)``.
    public func answers(to request: Request) async -> AsyncStream<Answer.Content> {
        if case .watch(let watch) = request.command { return await events(watch, for: request.principal) }
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
    private let waiting = Guarded<[RequestID: [CheckedContinuation<Void, Never>]]>([:])

    /// Waits until no other task uses the id; each call needs a call of ``release(_:)``.
    func take(_ id: RequestID) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                guard waiting[id] != nil else {
                    waiting[id] = []
                    return true
                }
                waiting[id]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Gives the id to the task that has waited for it the longest, if one waits.
    func release(_ id: RequestID) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            if waiting[id]?.isEmpty == false { return waiting[id]?.removeFirst() }
            waiting[id] = nil
            return nil
        }
        next?.resume()
    }
}
