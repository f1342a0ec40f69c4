import CZeroMQ

/// The items that `zmq_poll` waits for: the wake descriptor first, then the targets in the order of their addition.
///
/// Owned by the reactor thread. A socket that waits for no event stays in the set, without events.
final class PollSet {
    /// The receiver of an item's events.
    enum Target {
        case socket(OpenSocket)
        /// The monitor of a socket.
        case monitor(OpenSocket)
        case descriptor(DescriptorWatch)
    }

    private var items: [zmq_pollitem_t]
    private var targets: [Target] = []

    init(wake: Int32) {
        items = [zmq_pollitem_t(socket: nil, fd: wake, events: Int16(ZMQ_POLLIN), revents: 0)]
    }

    /// Whether the last wait found the wake signal raised.
    var isWoken: Bool { items[0].revents != 0 }

    /// Whether the last wait found an item that is ready.
    var isReady: Bool { items.contains { $0.revents != 0 } }

    /// The number of targets in the set.
    var count: Int { targets.count }

    func add(_ target: Target, handle: UnsafeMutableRawPointer?, descriptor: Int32 = 0, events: Int16) {
        targets.append(target)
        items.append(zmq_pollitem_t(socket: handle, fd: descriptor, events: events, revents: 0))
    }

    func remove(_ handle: UnsafeMutableRawPointer) {
        remove { $0.socket == handle }
    }

    func remove(descriptor: Int32) {
        let target = remove { $0.socket == nil && $0.fd == descriptor }
        // The descriptor may be ready in the current turn, and its handler must not be called any more.
        if case .descriptor(let watch) = target { watch.isActive = false }
    }

    /// Updates the events that a socket waits for.
    func update(_ socket: OpenSocket) {
        guard let index = items.firstIndex(where: { $0.socket == socket.handle }) else { return }
        items[index].events = socket.interest
    }

    /// Waits until an item is ready.
    ///
    /// - Parameter milliseconds: The longest time to wait; -1 means without a limit.
    func wait(_ milliseconds: Int) {
        let result = items.withUnsafeMutableBufferPointer { items in
            zmq_poll(items.baseAddress, Int32(items.count), milliseconds)
        }
        guard result < 0 else { return }
        assert(zmq_errno() == EINTR, "zmq_poll failed: \(Errors.text(zmq_errno()))")
        // A POSIX signal ends the wait early and leaves old results in the items. Clear the results; the next turn
        // waits again.
        for index in items.indices { items[index].revents = 0 }
    }

    /// Appends each ready target with its events to a buffer.
    func ready(into buffer: inout [(target: Target, events: Int16)]) {
        for index in targets.indices where items[index + 1].revents != 0 {
            buffer.append((targets[index], items[index + 1].revents))
        }
    }

    @discardableResult
    private func remove(where isIt: (zmq_pollitem_t) -> Bool) -> Target? {
        // The wake descriptor is never removed.
        guard let index = items.dropFirst().firstIndex(where: isIt) else { return nil }
        items.remove(at: index)
        return targets.remove(at: index - 1)
    }
}
