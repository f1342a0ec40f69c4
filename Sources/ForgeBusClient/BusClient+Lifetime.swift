public import Logging
public import ServiceLifecycle
public import ZeroMQ

/// A client can be a service of a `ServiceGroup`: at shutdown, the client closes after the services that come later in
/// the group's list have ended.
///
/// ```swift
/// import ForgeBusClient
/// import Logging
/// import ServiceLifecycle
///
/// func run(_ client: BusClient, _ shop: some Service, logger: Logger) async throws {
///     // The group stops its services in reverse order, so the client comes first.
///     try await ServiceGroup(services: [client, shop], logger: logger).run()
/// }
/// ```
extension BusClient: Service {
    /// Connects, waits until the program shuts down, and then closes the client.
    ///
    /// This method returns when a graceful shutdown begins, the task is cancelled, or other code closes the client.
    /// Calls that still wait then throw `BusError` with code `closed`.
    ///
    /// - Throws: Nothing; `throws` is part of the protocol `Service`.
    public func run() async throws {
        await cancelWhenGracefulShutdown { [connection] in
            for await state in connection where state == .closed { return }
        }
        await close()
    }
}

/// Makes a client, passes it to `body`, and closes it when `body` returns or throws.
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
///   - others: More endpoints of the same worker, or of a worker that replaces it and uses the same store; none by
///     default.
///   - identity: The client's keys and the worker's public key; nil, the default, for a worker without keys.
///   - source: A label for this process, at most 128 bytes; nil, the default, sends no label.
///   - patience: How long the worker may take to accept a request, and how long it may be silent after the acceptance;
///     30 s by default.
///   - retriesRefusals: Whether the client resends a request that the worker refuses temporarily; true by default.
///   - resendsAfter: The longest time without an answer to a request before the client resends it for the first time.
///     The default is 1 s. With nil, a missing answer never causes a resend.
///   - limits: How many requests may wait for their last answer, and how many bytes they may have together.
///   - logger: The client's logger.
///   - isolation: The actor on which `body` runs; by default the caller's actor.
///   - body: The code that uses the client. Do not use the client after `body` has returned.
/// - Returns: The value that `body` returns, after the connection is closed and the client's thread has ended.
/// - Throws: The error that `body` throws.
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
