/// Runs something with a reactor of its own, and shuts that down afterwards, whatever happens.
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
///   - options: How the thread is shared out.
///   - flushing: How long unsent messages may take at the end; nothing waits for them after an error.
///   - isolation: Where it runs: with the caller.
///   - body: What to do; the reactor must not be used after it.
/// - Returns: What `body` returns, once no thread and no descriptor of the reactor is left.
/// - Throws: ``ZeroMQError`` when the reactor cannot be started, and what `body` throws.
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
    /// Runs something with a socket of its own, and closes that afterwards, whatever happens.
    ///
    /// - Parameters:
    ///   - kind: What the socket can do, as in `Dealer.self`.
    ///   - options: How it behaves; by default as suits the kind.
    ///   - body: What to do; the socket is closed after it.
    /// - Returns: What `body` returns.
    /// - Throws: ``ZeroMQError`` when the socket cannot be opened, and what `body` throws.
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
