import ForgeBusProtocol
import Instrumentation
public import Logging
public import ZeroMQ

/// Sends requests to a worker: notifications, runs of pipelines, and decisions about signals and gates.
///
/// All requests share one connection. A resent request keeps its id, so that the worker recognizes it. The client does
/// not send its patience to the worker: when the patience ends, the outcome is *unknown*, and it is safe to send again
/// with the same id.
///
/// ```swift
/// let client = try BusClient(Endpoint("tcp://127.0.0.1:7717"))
/// let result = try await client.run("feed", seeds: ["user": "ada"], deadline: .seconds(30))
/// await client.close()
/// ```
///
/// The client resends a request after a temporary refusal, after a lost connection, and when the worker has been silent
/// for a while. It stops when the patience has ended, or when the worker may have forgotten the answer. A cancelled
/// task stops waiting immediately, with code `cancelled`; the outcome is then unknown.
///
/// If the worker refuses the client's key, waiting requests end with code `forbidden`, or with code `timeout` if they
/// were sent before. The next request connects again.
///
/// The worker limits how many requests of one connection may wait for their first answer. Further requests wait in the
/// client.
///
/// A client has a thread from its first request, or the first loop over ``connection``, until ``close()``, or until
/// nothing references the client, its runs and its events any more.
public final class BusClient: Sendable {
    let link: ClientLink
    let source: String?

    /// Creates a client of the worker at `endpoint`; the worker need not be running yet.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint where the worker listens.
    ///   - others: Other endpoints of the same worker, or of the worker that replaces it. The client tries the next
    ///     endpoint when it cannot reach one, loses the connection, or gets no answer. Do not name workers with a
    ///     different store: see `other_store`.
    ///   - identity: The client's key pair and the worker's public key, for a worker with keys.
    ///   - source: A label for this process, at most 128 bytes. A worker without keys distinguishes the request ids of
    ///     processes by their labels.
    ///   - patience: How long the worker may take to accept a request, and how long it may be silent after that. A
    ///     request can have its own.
    ///   - retriesRefusals: Whether the client resends, within the patience, a request that the worker refuses
    ///     temporarily (`busy`, `not_ready`, `draining`): after the time that the worker names, or after a time that
    ///     grows from 100 ms to 5 s. Otherwise the call throws the refusal.
    ///   - resendsAfter: How long a request may stay unanswered before the client resends it; at least a millisecond,
    ///     or nil for no such resends. Up to half of this time is random. It doubles with each resend, up to 30 s or a
    ///     tenth of the time for which the worker keeps the answer; the client assumes a minute until the worker names
    ///     that time.
    ///   - limits: How many unanswered requests the client keeps, and how many bytes of them.
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

    /// The state of the connection, and each change of it.
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
    /// Unanswered requests throw ``BusError`` with code `closed`, and so does each later request.
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
