import Synchronization

/// The sockets of one reactor, found by token.
///
/// The table reuses indices, but not serial numbers. The table is a class and the reactor holds it in a constant, so
/// that a change of the table is not a change of the reactor's own properties.
final class SocketTable {
    private static let serials = Atomic<UInt64>(0)
    private var places: [OpenSocket?] = []
    private var freePlaces: [Int] = []

    subscript(token: SocketToken) -> OpenSocket? {
        guard token.index < places.count, let socket = places[token.index] else { return nil }
        return socket.token.serial == token.serial ? socket : nil
    }

    var all: [OpenSocket] { places.compactMap { $0 } }

    func add(
        _ handle: UnsafeMutableRawPointer,
        kind: Int32,
        options: SocketOptions,
        readOn: @escaping @Sendable (SocketToken) -> Void
    ) -> OpenSocket {
        let serial = Self.serials.wrappingAdd(1, ordering: .relaxed).newValue
        let index = freePlaces.popLast() ?? places.count
        if index == places.count { places.append(nil) }
        let token = SocketToken(index: index, serial: serial)
        let inbox = Inbox(limit: options.prefetch, keepsLatest: options[.conflate] == true) { readOn(token) }
        let socket = OpenSocket(handle: handle, token: token, kind: kind, options: options, inbox: inbox)
        places[index] = socket
        return socket
    }

    func remove(_ socket: OpenSocket) {
        places[socket.token.index] = nil
        freePlaces.append(socket.token.index)
    }
}
