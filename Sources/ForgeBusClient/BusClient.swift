import ForgeBusProtocol
import Instrumentation
public import Logging
public import ZeroMQ

/// Sends requests to a worker: notifies its monitors, runs its pipelines, and decides its signals.
///
/// All requests of a client share one connection. By default, up to 10,000 requests can wait for their last answer at
/// the same time; ``ClientLimits`` changes this limit. Each resend of a request has the same id, so the worker carries
/// the request out only once. Notifications are an exception: a resend may cause one more cycle of a monitor.
///
/// The *patience* is how long a call waits for the worker; the client does not send it to the worker. When the patience
/// ends, the call throws `BusError`. With code `timeout`, the request may have been sent, so the outcome is *unknown*.
/// You can then safely send the request again with the same id. With code `unreachable`, the request was not sent. If
/// the worker refused each copy of the request, the call throws the last refusal instead: the request had no effect.
///
/// ```swift
/// let client = try BusClient(Endpoint("tcp://127.0.0.1:7717"))
/// let result = try await client.run("feed", seeds: ["user": "ada"], deadline: .seconds(30))
/// await client.close()
/// ```
///
/// The client resends a request after a temporary refusal, after some time without an answer, and on a new connection
/// if the old connection was lost. It does not resend a request whose patience has ended. It also does not resend a
/// request if the worker may have forgotten the answer.
///
/// If you cancel the task that waits, its call throws at once with code `cancelled`, and the outcome is unknown.
///
/// If all endpoints refuse the client's key, the waiting calls throw. The code is `timeout` if the request may have
/// been sent before, otherwise `forbidden`. For HELLO, PING, LIST and SHOW it is always `forbidden`. A client with one
/// endpoint then connects again at its next request. A client with several endpoints continues to connect.
///
/// A worker limits how many requests of one connection may wait for their first answer. Further requests wait in the
/// client.
///
/// A client starts its thread at its first request, or when a task begins to iterate over ``connection``. The thread
/// ends with ``close()``. It also ends when the client, its runs and its sequences are all released.
public final class BusClient: Sendable {
    let link: ClientLink
    let source: String?
    /// The principal for which the client sends; nil for the principal of its key.
    let principal: Name?

    /// Makes a client for the worker at `endpoint`; the worker need not be running yet.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint where the worker listens.
    ///   - others: More endpoints of the same worker, or of a worker that replaces it and uses the same store; none by
    ///     default. The client tries the next endpoint if it cannot reach the current one, if the connection is lost,
    ///     or if the worker does not answer. Do not name workers with other stores: a call can then end with code
    ///     `other_store`.
    ///   - identity: The client's keys and the worker's public key; nil, the default, for a worker without keys.
    ///   - source: A label for this process, at most 128 bytes; nil, the default, sends no label. A worker without keys
    ///     distinguishes clients only by their labels, so clients with different labels can use the same request ids.
    ///   - patience: How long the worker may take to accept a request, and how long it may be silent after the
    ///     acceptance; 30 s by default. Each call can have its own patience.
    ///   - retriesRefusals: Whether the client resends a request that the worker refuses temporarily (`busy`,
    ///     `not_ready` or `draining`); true by default. The client resends the request within the patience, after the
    ///     time that the worker names. If the worker names no time, the client waits a random time: at most 100 ms at
    ///     first, doubling to at most 5 s. If `retriesRefusals` is false, the call throws the refusal, unless the
    ///     worker may have accepted an earlier copy of the request.
    ///   - resendsAfter: The longest time without an answer to a request before the client resends it for the first
    ///     time; 1 s by default, at least 1 ms. With nil, a missing answer never causes a resend. The time doubles with
    ///     each resend, up to a tenth of the worker's retention, but at least 100 ms and at most 30 s. The *retention*
    ///     is the time for which the worker keeps the answer. Until the worker names the retention, the client assumes
    ///     60 s. Up to half of each wait is random.
    ///   - limits: How many requests may wait for their last answer, and how many bytes they may have together.
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
        principal = nil
    }

    /// Makes a client of a fleet: many clients share one reactor, so that each needs no thread of its own.
    ///
    /// The owner of the reactor shuts it down after the last of its clients is closed.
    package init(
        _ endpoint: Endpoint,
        as identity: CurveClient?,
        source: String?,
        patience: Duration,
        on shared: Reactor,
        logger: Logger
    ) {
        let settings = ClientLoop.Settings(
            patience: patience,
            retriesRefusals: true,
            resendsAfter: .seconds(1),
            limits: ClientLimits(),
            endpoints: [endpoint],
            identity: identity
        )
        link = ClientLink(settings, on: shared, logger: logger)
        self.source = source
        principal = nil
    }

    private init(_ client: BusClient, as principal: Name) {
        (link, source) = (client.link, client.source)
        self.principal = principal
    }

    /// Makes a client that sends its requests for another principal, over the same connection.
    ///
    /// A gateway sends the requests of its users in this way: the worker treats them as requests of `principal`, with
    /// the rights, the request ids and the limits of that principal. The histories show both, as `ada via gateway`. The
    /// principal of this client's key needs the right `act_as`, for the right of each request.
    ///
    /// Both clients share the connection, so ``close()`` of one closes the other, and two requests with the same id
    /// cannot wait at the same time, even for different principals.
    ///
    /// - Parameter principal: The name of the principal in the worker's access file.
    /// - Returns: The client for that principal.
    /// - Throws: `BusError` with code `unsupported_version` if the worker does not know the attribute `as`, with
    ///   `bad_name` if `principal` is no name, and with `timeout` or `unreachable` if the worker does not answer. If the
    ///   returned client later reaches another worker that does not know `as`, its calls throw `unsupported_version`.
    public func acting(for principal: String) async throws(BusError) -> BusClient {
        let client = BusClient(self, as: try Name(principal))
        try await client.checkActing()
        return client
    }

    /// Makes a client with the same settings and a connection of its own.
    package func sibling() -> BusClient { BusClient(link.sibling(), source: source) }

    private init(_ link: ClientLink, source: String?) {
        (self.link, self.source) = (link, source)
        principal = nil
    }

    /// Checks that the worker supports requests for other principals, once on each connection.
    ///
    /// An older worker ignores the attribute `as`, so it would carry the requests out as requests of this client's key.
    func checkActing() async throws(BusError) {
        guard let connection = link.board.connectionToCheck else { return }
        let request = Request(.hello, source: source, traceparent: ServiceContext.currentTraceparent)
        let answer = try await link.loop(for: request.id).ask(request)
        guard case .welcome(let welcome) = answer else { throw Errors.unexpected("WELCOME", answer) }
        guard welcome.features.contains(Welcome.actingFor) else { throw Errors.actingUnsupported }
        link.board.supportsActing(asked: connection)
    }

    /// The number of requests that wait for their last answer, including accepted runs, plus the number of open
    /// watches.
    public var outstanding: Int {
        get async {
            guard let loop = link.openLoop else { return 0 }
            return await loop.outstanding
        }
    }

    /// The states of the connection: the current state, then each change.
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

    /// Whether the client is connected to a worker now.
    package var isConnected: Bool { link.board.isConnected }

    /// Whether the latest attempt to connect has failed, because no process listens or the handshake failed.
    package var isUnanswered: Bool { link.board.isUnanswered }

    /// Why the latest handshake failed; nil after a successful one, and if no process listens at the endpoint.
    package var handshakeFailure: HandshakeFailure? { link.board.handshakeFailure }

    /// Closes the connection, and ends the client's thread.
    ///
    /// Waiting calls throw `BusError` with code `closed`, and so does every later call.
    public func close() async { await link.close() }

    /// Sends a request, and waits for its last answer; `news` gets the earlier answers.
    package func ask(
        _ command: Request.Command,
        id: RequestID = .random(),
        patience: Duration? = nil,
        news: @escaping @Sendable (Answer.Content) -> Void = { _ in }
    ) async throws(BusError) -> Answer.Content {
        if principal != nil { try await checkActing() }
        return try await link.loop(for: id).ask(request(command, id: id), patience: patience, news: news)
    }

    /// Sends a request as it is, without the client's label and principal.
    ///
    /// This method returns when the request is queued behind the client's earlier requests.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - onEnd: Called once, when the client does not wait for the request any more.
    /// - Returns: A stream of the answers, which ends after the last answer. A slow reader gets only the latest 1,024
    ///   answers. If the last answer does not come, the stream ends with an `error` instead. If the reader stops before
    ///   the end, the client stops waiting for the request, as if its task was cancelled.
    package func answers(
        to request: Request,
        onEnd: @escaping @Sendable () -> Void
    ) async -> AsyncStream<Answer.Content> {
        let (answers, continuation) = AsyncStream<Answer.Content>
            .makeStream(bufferingPolicy: .bufferingNewest(1024))
        do throws(BusError) {
            if request.principal != nil { try await checkActing() }
            let loop = try link.loop(for: request.id)
            let ticket = Call.Ticket(request.id)
            continuation.onTermination = { _ in loop.cancel(ticket) }
            let listener = Call.Listener(
                news: { continuation.yield($0) },
                end: { result in
                    switch result {
                    case .success(let last): continuation.yield(last)
                    case .failure(let error): continuation.yield(.error(error))
                    }
                    continuation.finish()
                    onEnd()
                }
            )
            loop.begin(request, ticket, nil, listener)
        } catch {
            continuation.yield(.error(error))
            continuation.finish()
            onEnd()
        }
        return answers
    }

    /// Makes a request with the label of this process and the trace context of the current task.
    func request(_ command: Request.Command, id: RequestID) -> Request {
        Request(command, id: id, source: source, traceparent: ServiceContext.currentTraceparent, as: principal)
    }
}
