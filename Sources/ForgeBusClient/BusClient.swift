import ForgeBusProtocol
import Instrumentation
public import Logging
public import ZeroMQ

/// Asks a worker: notifies it, runs its pipelines, decides its signals.
///
/// Any number of requests share one connection. A request keeps its id through every resend, so that the worker does it
/// once. The patience is the client's own, and never travels: when it ends, the outcome is *unknown*, and sending again under the same id is
/// safe.
///
/// ```swift
/// let client = try BusClient(Endpoint("tcp://127.0.0.1:7717"))
/// let result = try await client.run("feed", seeds: ["user": "ada"], deadline: .seconds(30))
/// await client.close()
/// ```
///
/// The client resends a request after a refusal that may be over soon, after a lost connection and after a silence; never
/// after its patience, and never once the worker may have forgotten the answer. A cancelled task stops waiting at once, with
/// code `cancelled`; the outcome is then unknown.
/// Where the worker does not let the client's key in, waiting requests end with code `forbidden`, or with code `timeout` if they
/// were sent before, and the next request connects again.
///
/// A worker takes only so many requests of one connection before it has answered them; more wait in the client.
///
/// A client has a thread from its first request, or the first look at ``connection``, until ``close()``, or until nothing
/// refers any more to the client, its runs and its events.
public final class BusClient: Sendable {
    let link: ClientLink
    let source: String?

    /// A client of the worker at `endpoint`, which need not be there yet.
    ///
    /// - Parameters:
    ///   - endpoint: Where the worker listens.
    ///   - others: Where else the same worker listens, or the one that takes its place: the next is tried when one cannot be
    ///     reached, is lost or does not answer. Not for workers with stores of their own: see `other_store`.
    ///   - identity: The client's keys and the worker's public one, where the worker tells senders apart by keys.
    ///   - source: What this process calls itself: a label, at most 128 bytes, and part of what keeps its ids apart from
    ///     those of others.
    ///   - patience: How long the worker may take to accept a request, and how long it may be silent after that. A
    ///     request can have its own.
    ///   - retriesRefusals: Whether what a worker refuses for now (`busy`, `not_ready`, `draining`) is sent again within
    ///     the patience, after the time the worker names or one that grows from 100 ms to 5 s; otherwise it is thrown.
    ///   - resendsAfter: How long a request may stay unanswered before it is resent; at least a millisecond, nil for
    ///     ever. Up to half of it is random. It doubles each time, up to 30 s or a tenth of the time for which the worker
    ///     keeps the answer (a minute until the worker names it).
    ///   - limits: How much the client keeps for requests without an answer.
    ///   - logger: Where the client logs.
    public init(
        _ endpoint: Endpoint,
        orAt others: [Endpoint] = [],
        as identity: CurveClient? = nil,
        source: String? = nil,
        patience: Duration = .seconds(30),
        retriesRefusals: Bool = true,
        resendsAfter: Duration? = .seconds(1),
        limits: ClientLimits = ClientLimits(),
        logger: Logger = Logger(label: "forge.bus.client")
    ) {
        let settings = ClientLoop.Settings(
            patience: patience,
            retriesRefusals: retriesRefusals,
            resendsAfter: resendsAfter.map { max($0, .milliseconds(1)) },
            limits: limits,
            endpoints: [endpoint] + others,
            identity: identity
        )
        link = ClientLink(settings, logger: logger)
        self.source = source
    }

    /// How many requests wait for an answer, and how many watches are read.
    public var outstanding: Int {
        get async {
            guard let loop = link.openLoop else { return 0 }
            return await loop.outstanding(on: loop.reactor)
        }
    }

    /// What the connection is, and each change of it.
    ///
    /// ```swift
    /// func follow(_ client: BusClient) async {
    ///     for await state in client.connection {
    ///         switch state {
    ///         case .connecting(let endpoint): print("connecting to", endpoint)
    ///         case .connected(let worker): print("connected to", worker.endpoint)
    ///         case .lost(let endpoint, let reason): print("lost", endpoint, reason)
    ///         case .closed: print("closed")
    ///         }
    ///     }
    /// }
    /// ```
    public var connection: ConnectionStates { ConnectionStates(link: link) }

    /// Closes the connection, and ends its thread.
    ///
    /// Requests without an answer throw `BusError` with code `closed`, and so does each one that follows.
    public func close() async { await link.close() }

    /// Sends a request and waits for its last answer.
    func ask(
        _ command: Request.Command,
        id: RequestID = .random(),
        patience: Duration? = nil,
        news: @escaping @Sendable (Answer.Content) -> Void = { _ in }
    ) async throws(BusError) -> Answer.Content {
        try await link.loop(for: id).ask(request(command, id: id), patience: patience, news: news)
    }

    /// A request of this process, and of the task's trace.
    func request(_ command: Request.Command, id: RequestID) -> Request {
        Request(command, id: id, source: source, traceparent: ServiceContext.currentTraceparent)
    }
}
