import CZeroMQ

/// What `zmq_poll` waits for: the wake descriptor first, then everything else in the order it was added.
///
/// Owned by the reactor thread. A socket that nobody wants to hear from stays in the set with no events.
final class PollSet {
    /// Whom to tell.
    enum Target {
        case socket(OpenSocket)
        /// The reports about a socket.
        case monitor(OpenSocket)
        case descriptor(DescriptorWatch)
    }

    private var items: [zmq_pollitem_t]
    private var targets: [Target] = []

    init(wake: Int32) {
        items = [zmq_pollitem_t(socket: nil, fd: wake, events: Int16(ZMQ_POLLIN), revents: 0)]
    }

    /// Whether somebody raised the wake signal.
    var isWoken: Bool { items[0].revents != 0 }

    /// Whether the last wait found anything.
    var isReady: Bool { items.contains { $0.revents != 0 } }

    /// How much is in the set.
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
        // It may be ready in the turn that is under way.
        if case .descriptor(let watch) = target { watch.isActive = false }
    }

    /// Takes over what is wanted of a socket after that has changed.
    func update(_ socket: OpenSocket) {
        guard let index = items.firstIndex(where: { $0.socket == socket.handle }) else { return }
        items[index].events = socket.interest
    }

    /// Waits until something is ready.
    ///
    /// - Parameter milliseconds: How long at most; -1 waits for ever.
    func wait(_ milliseconds: Int) {
        let result = items.withUnsafeMutableBufferPointer { items in
            zmq_poll(items.baseAddress, Int32(items.count), milliseconds)
        }
        guard result < 0 else { return }
        // A signal ends the wait early and leaves the results of the last one behind; the next turn waits again.
        for index in items.indices { items[index].revents = 0 }
    }

    /// What has messages, or room, or news.
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
