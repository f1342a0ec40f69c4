public import ServiceLifecycle

/// A reactor as a service of a larger program, shut down after the services that use it.
///
/// ```swift
/// import Logging
/// import ServiceLifecycle
/// import ZeroMQ
///
/// func run(_ reactor: Reactor, _ program: some Service, logger: Logger) async throws {
///     // Services are stopped in the reverse order, so what others stand on comes first.
///     try await ServiceGroup(services: [reactor, program], logger: logger).run()
/// }
/// ```
extension Reactor: Service {
    /// Waits for the program's shutdown and shuts the reactor down.
    ///
    /// A graceful shutdown gives unsent messages two seconds; a cancellation drops them.
    ///
    /// - Throws: Nothing.
    public nonisolated func run() async throws {
        do {
            try await gracefulShutdown()
            await shutDown()
        } catch {
            await shutDown(flushing: .zero)
        }
    }
}
