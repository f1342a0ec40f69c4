extension DiscardingTaskGroup {
    /// Adds a child task that begins on the calling thread if the system supports that, otherwise on the thread pool.
    mutating func addChild(_ operation: @escaping @Sendable () async -> Void) {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            addImmediateTask(operation: operation)
        } else {
            addTask(operation: operation)
        }
    }
}
