import CZeroMQ

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A watch on a descriptor that does not belong to a ZeroMQ socket.
///
/// Owned by the reactor thread.
final class DescriptorWatch {
    let descriptor: Int32
    let handler: () -> Void
    var isActive = true

    init(_ descriptor: Int32, _ handler: @escaping () -> Void) {
        (self.descriptor, self.handler) = (descriptor, handler)
    }

    /// Whether the program has closed the descriptor, which then would be ready for ever.
    var isClosed: Bool { fcntl(descriptor, F_GETFD) < 0 }
}

/// Watching descriptors other than sockets, such as pipes and Linux's `timerfd` and `signalfd`.
extension Reactor {
    /// Calls a handler whenever a descriptor is readable or its other end is closed.
    ///
    /// The watch is level-triggered: a handler that does not read is called again in the next turn. The caller owns the
    /// descriptor and must call ``unwatch(descriptor:)`` before closing it; the watch of a closed descriptor ends without
    /// a call. Don't watch libzmq's descriptor of a socket (`ZMQ_FD`): it does not show whether messages are waiting.
    ///
    /// - Parameters:
    ///   - descriptor: An open descriptor; watching the same descriptor again replaces the handler.
    ///   - handler: Called on the reactor's thread while the descriptor is ready; it must not block.
    public func watch(descriptor: Int32, _ handler: @escaping () -> Void) {
        unwatch(descriptor: descriptor)
        pollSet.add(
            .descriptor(DescriptorWatch(descriptor, handler)),
            handle: nil,
            descriptor: descriptor,
            events: Int16(ZMQ_POLLIN)
        )
    }

    /// Stops watching a descriptor; does nothing if it was not watched.
    ///
    /// - Parameter descriptor: The descriptor.
    public func unwatch(descriptor: Int32) {
        guard descriptor != executor.mailbox.wake.readable else { return }
        pollSet.remove(descriptor: descriptor)
    }
}
