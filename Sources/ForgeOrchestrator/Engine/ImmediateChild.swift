extension DiscardingTaskGroup {
    /// Adds a child that begins at once where the system can do that, else one that is scheduled.
    mutating func addChild(_ operation: @escaping @Sendable () async -> Void) {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            addImmediateTask(operation: operation)
        } else {
            addTask(operation: operation)
        }
    }
}
