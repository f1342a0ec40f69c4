/// Runs a closure with a new reactor, and shuts the reactor down afterwards, even after an error.
///
/// ```swift
/// import ZeroMQ
///
/// func freePort() async throws -> Endpoint {
///     try await withReactor("probe") { reactor in
///         let router = try await reactor.open(Router.self)
///         return try await reactor.bind(router, to: LocalEndpoint("tcp://127.0.0.1:*"))
///     }
/// }
/// ```
///
/// - Parameters:
///   - label: The name of the reactor's thread; the operating system keeps the first 15 bytes.
///   - options: The reactor's limits, and how its thread divides its time among the sockets.
///   - flushing: The longest time for sending queued messages at the end; after an error, queued messages are dropped.
///   - isolation: The caller's isolation; `body` runs in the same isolation.
///   - body: The closure; the reactor must not be used after the closure returns.
/// - Returns: The result of `body`, after the reactor has shut down.
/// - Throws: ``ZeroMQError`` if the reactor cannot be started, or the error of `body`.
public func withReactor<Value: Sendable>(
    _ label: String = "zeromq",
    options: ReactorOptions = ReactorOptions(),
    flushing: Duration = .seconds(2),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Reactor) async throws -> Value
) async throws -> Value {
    let reactor = try Reactor(label: label, options: options)
    do {
        let value = try await body(reactor)
        await reactor.shutDown(flushing: flushing)
        return value
    } catch {
        await reactor.shutDown(flushing: .zero)
        throw error
    }
}

extension Reactor {
    /// Runs a closure with a new socket, and closes the socket afterwards, even after an error.
    ///
    /// - Parameters:
    ///   - kind: The kind of socket, such as `Dealer.self`.
    ///   - options: The socket's options; by default the options of the kind.
    ///   - body: The closure; the socket is closed when the closure returns or throws.
    /// - Returns: The result of `body`.
    /// - Throws: ``ZeroMQError`` if the socket cannot be opened, or the error of `body`.
    public func withSocket<Kind: SocketKind, Value: Sendable>(
        _ kind: Kind.Type,
        options: SocketOptions? = nil,
        _ body: @Sendable (Socket<Kind>) async throws -> Value
    ) async throws -> Value {
        let socket = try open(kind, options: options)
        defer { close(socket) }
        return try await body(socket)
    }
}
