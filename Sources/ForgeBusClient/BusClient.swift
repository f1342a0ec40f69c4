import ForgeBusProtocol
import Instrumentation
public import Logging
public import ZeroMQ

/// Sends requests to a worker: notifies its monitors, runs its pipelines, and decides its signals.
///
/// All requests of a client share one connection. Up to 10,000 of them can wait at the same time, unless
/// ``ClientLimits`` says otherwise. Each resend of a request has the same id, so the worker carries the request out
/// only once. Only a resent notification may cause one more cycle.
///
/// The *patience* is how long a call waits for the worker. The worker does not learn it. When the patience ends, the
/// call throws `BusError` with code `timeout`, and the outcome is *unknown*. You can then safely send the request again
/// with the same id. If the worker refused each copy of the request, the call throws the refusal instead, and nothing
/// was done.
///
/// ```swift
/// let client = try BusClient(Endpoint("tcp://127.0.0.1:7717"))
/// let result = try await client.run("feed", seeds: ["user": "ada"], deadline: .seconds(30))
/// await client.close()
/// ```
///
/// The client resends a request after a temporary refusal, after a silence, and on a new connection if the old one was
/// lost. It does not resend a request whose patience has ended, or whose answer the worker may have forgotten.
///
/// If you cancel the task, the call throws at once with code `cancelled`, and the outcome is unknown.
///
/// If all endpoints refuse the client's key, the waiting calls end: with code `timeout` if the request may have been
/// sent before, otherwise with code `forbidden`. A client with one endpoint then connects again at its next request. A
/// client with several endpoints keeps trying.
///
/// A worker limits how many requests of one connection may wait for their first answer. Further requests wait in the
/// client.
///
/// A client starts its thread at its first request, or when a task begins to iterate over ``connection``. The thread
/// ends with ``close()``, or when nothing refers to the client, its runs and its sequences any more.
public final class BusClient: Sendable {
    let link: ClientLink
    let source: String?

    /// Makes a client for the worker at `endpoint`; the worker need not be running yet.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint where the worker listens.
    ///   - others: More endpoints where the same worker listens, or the next worker with the same store; none by
    ///     default. The client tries the next endpoint if it cannot reach one, if the connection is lost, or if the
    ///     worker does not answer. Do not name workers with other stores: a call can then end with code `other_store`.
    ///   - identity: The client's keys and the worker's public key; nil, the default, for a worker without keys.
    ///   - source: A label for this process, at most 128 bytes; nil, the default, for none. A worker without keys
    ///     distinguishes clients only by their labels, so clients with different labels can use the same request ids.
    ///   - patience: How long the worker may take to accept a request, and how long it may be silent after that; 30 s
    ///     by default. Each call can have its own patience.
    ///   - retriesRefusals: Whether the client resends a request that the worker refuses temporarily (`busy`,
    ///     `not_ready` or `draining`); true by default. It resends the request within the patience, after the time that
    ///     the worker names. If the worker names no time, the client waits a random time: at most 100 ms at first,
    ///     doubling to at most 5 s. If `retriesRefusals` is false, the call throws the refusal, unless the worker may
    ///     have accepted an earlier copy.
    ///   - resendsAfter: How long the worker may say nothing about a request before the client resends it for the first
    ///     time; 1 s by default, at least 1 ms. Nil never resends after a silence. This time doubles with each resend,
    ///     up to a tenth of the time for which the worker keeps the answer (60 s until the worker names it), and at
    ///     most 30 s. Up to half of it is random.
    ///   - limits: The limits for the requests that wait for an answer.
    ///   - logger: The client's logger.
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

    /// The number of requests that wait for an answer, plus the number of open watches.
    public var outstanding: Int {
        get async {
            guard let loop = link.openLoop else { return 0 }
            return await loop.outstanding(on: loop.reactor)
        }
    }

    /// The states of the connection: the current one, then each change.
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

    /// Closes the connection, and ends the client's thread.
    ///
    /// Waiting calls throw `BusError` with code `closed`, and so does every later call.
    public func close() async { await link.close() }

    /// Sends a request, and waits for its last answer.
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
