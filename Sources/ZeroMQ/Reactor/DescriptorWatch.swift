import CZeroMQ

/// A descriptor that is not ZeroMQ's and is watched in the same wait.
///
/// Owned by the reactor thread.
final class DescriptorWatch {
    let handler: @Sendable (isolated Reactor) -> Void
    var isActive = true

    init(_ handler: @escaping @Sendable (isolated Reactor) -> Void) { self.handler = handler }
}

/// Descriptors of the operating system beside the sockets: timers, signals, pipes.
extension Reactor {
    /// Calls a handler whenever a descriptor is readable, or has hung up, for as long as it is.
    ///
    /// The wait is level-triggered: a handler that does not read is called again in the next turn. The descriptor stays
    /// the caller's, and is unwatched before it is closed. Not for ``Socket``: what libzmq offers as a socket's
    /// descriptor (`ZMQ_FD`) does not tell whether there are messages.
    ///
    /// - Parameters:
    ///   - descriptor: An open descriptor; watching it again replaces the handler.
    ///   - handler: What to do; it must not block.
    public func watch(descriptor: Int32, _ handler: @escaping @Sendable (isolated Reactor) -> Void) {
        unwatch(descriptor: descriptor)
        pollSet.add(
            .descriptor(DescriptorWatch(handler)),
            handle: nil,
            descriptor: descriptor,
            events: Int16(ZMQ_POLLIN)
        )
    }

    /// Watches a descriptor no more; harmless when it was not watched.
    ///
    /// - Parameter descriptor: The descriptor.
    public func unwatch(descriptor: Int32) {
        guard descriptor != executor.mailbox.wake.readable else { return }
        pollSet.remove(descriptor: descriptor)
    }
}
