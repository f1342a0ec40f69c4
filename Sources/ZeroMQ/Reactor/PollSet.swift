import CZeroMQ

/// What `zmq_poll` waits for: the wake descriptor first, then every open socket.
///
/// Owned by the reactor thread. A socket that nobody wants to hear from stays in the set with no events: polling it
/// lets libzmq handle its connections.
final class PollSet {
    private var items: [zmq_pollitem_t]
    private var sockets: [OpenSocket] = []

    init(wake: Int32) {
        items = [zmq_pollitem_t(socket: nil, fd: wake, events: Int16(ZMQ_POLLIN), revents: 0)]
    }

    /// Whether somebody raised the wake signal.
    var isWoken: Bool { items[0].revents != 0 }

    /// How many sockets are in the set.
    var count: Int { sockets.count }

    func add(_ socket: OpenSocket) {
        sockets.append(socket)
        items.append(zmq_pollitem_t(socket: socket.handle, fd: 0, events: socket.interest, revents: 0))
    }

    func remove(_ socket: OpenSocket) {
        guard let index = sockets.firstIndex(where: { $0 === socket }) else { return }
        sockets.remove(at: index)
        items.remove(at: index + 1)
    }

    /// Takes over what is wanted of a socket after that has changed.
    func update(_ socket: OpenSocket) {
        guard let index = sockets.firstIndex(where: { $0 === socket }) else { return }
        items[index + 1].events = socket.interest
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

    /// The sockets that have messages, or room, in the order they were opened.
    func ready(into buffer: inout [(socket: OpenSocket, events: Int16)]) {
        for index in sockets.indices where items[index + 1].revents != 0 {
            buffer.append((sockets[index], items[index + 1].revents))
        }
    }
}
