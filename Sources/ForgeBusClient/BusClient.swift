public import ForgeBusProtocol
public import Logging
public import ZeroMQ

/// Asks a worker: notifies it, runs its pipelines, decides its signals.
///
/// Any number of requests share one connection. A request keeps its id through every resend, so that the worker does it
/// once. The patience is the client's own: when it ends, the outcome is *unknown*, and sending again under the same id is
/// safe.
///
/// ```swift
/// let client = try await BusClient(Endpoint("tcp://127.0.0.1:7717"))
/// let result = try await client.run("feed", seeds: ["user": "ada"], deadline: .seconds(30))
/// await client.close()
/// ```
///
/// The client resends a request after a refusal that may be over soon, after a lost connection and after a silence; never
/// after its patience, and never once the worker may have forgotten the answer. A cancelled task stops waiting at once.
/// Where the worker does not let the client's key in, waiting requests end with code `forbidden`, and the next request
/// connects again.
///
/// A worker takes only so many requests of one connection before it has answered them; more wait in the client.
///
/// A client holds a thread until ``close()``.
public final class BusClient: Sendable {
    let loop: ClientLoop
    let source: String?

    /// A client of the worker at `endpoint`, which need not be there yet.
    ///
    /// - Parameters:
    ///   - endpoint: Where the worker listens.
    ///   - identity: The client's keys and the worker's public one, where the worker tells senders apart by keys.
    ///   - source: What this process calls itself: a label, at most 128 bytes, and part of what keeps its ids apart from
    ///     those of others.
    ///   - patience: How long the worker may take to accept a request, and how long it may be silent after that.
    ///   - retriesRefusals: Whether what a worker refuses for now (`busy`, `not_ready`, `draining`) is sent again within
    ///     the patience, after the time the worker names or one that grows from 100 ms to 5 s; otherwise it is thrown.
    ///   - resendsAfter: How long a request may stay unanswered before it is resent; at least a millisecond, nil for
    ///     ever. Up to half of it is random. It doubles each time, up to 30 s or a tenth of the time for which the worker
    ///     keeps the answer (a minute until the worker names it).
    ///   - limits: How much the client keeps for requests without an answer.
    ///   - logger: Where the client logs.
    /// - Throws: ``BusError`` with code `unreachable` when no connection can be set up.
    public init(
        _ endpoint: Endpoint,
        as identity: CurveClient? = nil,
        source: String? = nil,
        patience: Duration = .seconds(30),
        retriesRefusals: Bool = true,
        resendsAfter: Duration? = .seconds(1),
        limits: ClientLimits = ClientLimits(),
        logger: Logger = Logger(label: "forge.bus.client")
    ) async throws(BusError) {
        let settings = ClientLoop.Settings(
            patience: patience,
            retriesRefusals: retriesRefusals,
            resendsAfter: resendsAfter.map { max($0, .milliseconds(1)) },
            limits: limits,
            endpoint: endpoint,
            identity: identity
        )
        do throws(ZeroMQError) {
            loop = try await ClientLoop.connect(settings, logger: logger)
        } catch {
            throw BusError(.unreachable, error.message, next: error.next)
        }
        self.source = source
    }

    /// How many requests wait for an answer, and how many watches are read.
    public var outstanding: Int { get async { await loop.outstanding(on: loop.reactor) } }

    /// Closes the connection.
    ///
    /// Requests without an answer throw ``BusError`` with code `closed`.
    public func close() async { await loop.close() }

    /// Sends a request and waits for its last answer.
    func ask(
        _ command: Request.Command,
        id: RequestID = .random(),
        news: @escaping @Sendable (Answer.Content) -> Void = { _ in }
    ) async throws(BusError) -> Answer.Content {
        try await loop.ask(Request(command, id: id, source: source), news: news)
    }
}
