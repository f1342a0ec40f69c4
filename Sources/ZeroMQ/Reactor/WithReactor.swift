/// Runs a closure with a new reactor, and shuts the reactor down afterwards, also after an error.
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
///   - label: The thread's name; the operating system keeps its first 15 bytes.
///   - options: How the reactor shares out its thread.
///   - flushing: How long unsent messages may take at the end; after an error they are dropped.
///   - isolation: The caller's isolation, where `body` runs.
///   - body: The closure; the reactor must not be used after it.
/// - Returns: The result of `body`, once no thread and no descriptor of the reactor is left.
/// - Throws: ``ZeroMQError`` when the reactor cannot be started, and the error of `body`.
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
    /// Runs a closure with a new socket, and closes the socket afterwards, also after an error.
    ///
    /// - Parameters:
    ///   - kind: The kind, as in `Dealer.self`.
    ///   - options: The options; by default those of the kind.
    ///   - body: The closure; the socket is closed after it.
    /// - Returns: The result of `body`.
    /// - Throws: ``ZeroMQError`` when the socket cannot be opened, and the error of `body`.
    public func withSocket<Kind: SocketKind, Value: Sendable>(
        _ kind: Kind.Type,
        options: SocketOptions = Kind.defaultOptions,
        _ body: @Sendable (Socket<Kind>) async throws -> Value
    ) async throws -> Value {
        let socket = try open(kind, options: options)
        defer { close(socket) }
        return try await body(socket)
    }
}
