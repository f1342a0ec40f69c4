public import Logging
public import ServiceLifecycle
public import ZeroMQ

/// A client as a service of a `ServiceGroup`: a shutdown closes it after the services that use it.
///
/// ```swift
/// import ForgeBusClient
/// import Logging
/// import ServiceLifecycle
///
/// func run(_ client: BusClient, _ shop: some Service, logger: Logger) async throws {
///     // Services stop in the reverse order, so list the client before the services that use it.
///     try await ServiceGroup(services: [client, shop], logger: logger).run()
/// }
/// ```
extension BusClient: Service {
    /// Connects, waits until the service group shuts down, and closes the client.
    ///
    /// It returns when a graceful shutdown begins, the task is cancelled, or ``close()`` was called. Requests that
    /// still wait then throw ``BusError`` with code `closed`.
    ///
    /// - Throws: Nothing.
    public func run() async throws {
        await cancelWhenGracefulShutdown { [connection] in
            for await state in connection where state == .closed { return }
        }
        await close()
    }
}

/// Creates a client for `body`, and closes it when `body` returns or throws.
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
///   - endpoint: The endpoint where the worker listens.
///   - others: Other endpoints of the same worker, or of the worker that replaces it.
///   - identity: The client's key pair and the worker's public key, for a worker with keys.
///   - source: A label for this process, at most 128 bytes.
///   - patience: How long the worker may take to accept a request, and how long it may be silent after that.
///   - retriesRefusals: Whether the client resends, within the patience, a request that the worker refuses temporarily.
///   - resendsAfter: How long a request may stay unanswered before the client resends it; nil for no such resends.
///   - limits: How many unanswered requests the client keeps, and how many bytes of them.
///   - logger: The client's logger.
///   - isolation: The caller's actor, on which `body` runs.
///   - body: Uses the client, which is closed afterwards.
/// - Returns: The value of `body`, after the connection and its thread have ended.
/// - Throws: The error of `body`.
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
