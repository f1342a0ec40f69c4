public import Logging
public import ServiceLifecycle
public import ZeroMQ

/// A client as a service of a longer program: it is closed with the program, after the services that use it.
///
/// ```swift
/// import ForgeBusClient
/// import Logging
/// import ServiceLifecycle
///
/// func run(_ client: BusClient, _ shop: some Service, logger: Logger) async throws {
///     // Services are stopped in the reverse order, so what others stand on comes first.
///     try await ServiceGroup(services: [client, shop], logger: logger).run()
/// }
/// ```
extension BusClient: Service {
    /// Connects, waits for the program's end, and closes the client.
    ///
    /// It returns when a graceful shutdown begins, the task is cancelled, or somebody else closed the client. What still
    /// waits then throws `BusError` with code `closed`.
    ///
    /// - Throws: Nothing.
    public func run() async throws {
        await cancelWhenGracefulShutdown { [connection] in
            for await state in connection where state == .closed { return }
        }
        await close()
    }
}

/// Asks a worker within a scope: the client is closed when `body` returns or throws, whatever happens.
///
/// ```swift
/// import ForgeBusClient
/// import ZeroMQ
///
/// let result = try await withBusClient(Endpoint("tcp://127.0.0.1:7717")) { client in
///     try await client.run("feed", seeds: ["user": "ada"])
/// }
/// ```
///
/// - Parameters:
///   - endpoint: Where the worker listens.
///   - others: Where else the same worker listens, or the one that takes its place.
///   - identity: The client's keys and the worker's public one, where the worker tells senders apart by keys.
///   - source: What this process calls itself: a label, at most 128 bytes.
///   - patience: How long the worker may take to accept a request, and how long it may be silent after that.
///   - retriesRefusals: Whether what a worker refuses for now is sent again within the patience.
///   - resendsAfter: How long a request may stay unanswered before it is resent; nil for ever.
///   - limits: How much the client keeps for requests without an answer.
///   - logger: Where the client logs.
///   - isolation: Where it runs: with the caller.
///   - body: What to ask; the client must not be used after it.
/// - Returns: What `body` returns, once the connection and its thread are gone.
/// - Throws: What `body` throws.
public func withBusClient<Value, Failure: Error>(
    _ endpoint: Endpoint,
    orAt others: [Endpoint] = [],
    as identity: CurveClient? = nil,
    source: String? = nil,
    patience: Duration = .seconds(30),
    retriesRefusals: Bool = true,
    resendsAfter: Duration? = .seconds(1),
    limits: ClientLimits = ClientLimits(),
    logger: Logger = Logger(label: "forge.bus.client"),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (BusClient) async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let client = BusClient(
        endpoint,
        orAt: others,
        as: identity,
        source: source,
        patience: patience,
        retriesRefusals: retriesRefusals,
        resendsAfter: resendsAfter,
        limits: limits,
        logger: logger
    )
    do throws(Failure) {
        let value = try await body(client)
        await client.close()
        return value
    } catch {
        await client.close()
        throw error
    }
}
