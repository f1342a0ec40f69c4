import ServiceLifecycle

/// Lets a request wait for as long as its sender is there and is let in.
struct Stay: Sendable {
    /// Whether the sender's token or session is still valid.
    var isStillLetIn: @Sendable () -> Bool = { true }
    /// Begins to listen to the connection: each value asks to look at ``isStillLetIn`` again, and the end means that the
    /// client has left.
    var changes: @Sendable () -> AsyncStream<Void> = { AsyncStream { _ in } }

    /// Returns when the client has left, when the sender is no longer let in, or when the task is cancelled.
    func end() async {
        let changes = changes()
        // A change that came before this moment is not among them.
        guard isStillLetIn() else { return }
        for await _ in changes where !isStillLetIn() { return }
    }

    /// Does what takes long.
    ///
    /// - Parameters:
    ///   - limit: The longest time.
    ///   - work: What is done; it is cancelled if its result is not waited for any more.
    /// - Returns: The result; nil if the time is over, the stay has ended, or the gateway stops.
    func wait<Result: Sendable>(
        atMost limit: Duration,
        _ work: @escaping @Sendable () async -> Result
    ) async -> Result? {
        let result = await withTaskGroup(of: Result?.self) { group in
            group.addTask { await work() }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            group.addTask {
                await end()
                return nil
            }
            group.addTask {
                try? await gracefulShutdown()
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        // The work may have ended together with the stay.
        return isStillLetIn() ? result : nil
    }
}
