public import ServiceLifecycle

/// Runs a reactor as a service of a larger program; list it before the services that use it.
///
/// ```swift
/// import Logging
/// import ServiceLifecycle
/// import ZeroMQ
///
/// func run(_ reactor: Reactor, _ program: some Service, logger: Logger) async throws {
///     // Services are stopped in reverse order, so the reactor stops after the program that uses it.
///     try await ServiceGroup(services: [reactor, program], logger: logger).run()
/// }
/// ```
extension Reactor: Service {
    /// Waits for the program's graceful shutdown or for cancellation, then shuts the reactor down.
    ///
    /// After a graceful shutdown, the reactor still sends queued messages for up to two seconds; after a cancellation
    /// it drops them.
    ///
    /// - Throws: This implementation never throws.
    public nonisolated func run() async throws {
        do {
            try await gracefulShutdown()
            await shutDown()
        } catch {
            await shutDown(flushing: .zero)
        }
    }
}
