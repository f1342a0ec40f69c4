import CZeroMQ
import Synchronization

/// One open socket with everything the reactor knows about it.
///
/// Owned by the reactor thread.
final class OpenSocket {
    /// What happens with received messages.
    enum Intake {
        /// Nobody has asked for messages yet.
        case none
        case messages(@Sendable (isolated Reactor, Message) -> Void)
        case routed(@Sendable (isolated Reactor, PeerID, Message) -> Void)
        case batches(Batches<Message>)
        case routedBatches(Batches<RoutedMessage>)

        /// Nothing comes any more: a sequence ends.
        func finish() {
            switch self {
            case .none, .messages, .routed: break
            case .batches(let batches): batches.inbox.finish()
            case .routedBatches(let batches): batches.inbox.finish()
            }
        }
    }

    let handle: UnsafeMutableRawPointer
    let token: SocketToken
    let options: SocketOptions

    var isOpen = true { didSet { reception += 1 } }

    /// The program asked for silence.
    var isPaused = false { didSet { reception += 1 } }

    /// A message sequence is full.
    var isStalled = false { didSet { reception += 1 } }

    var intake = Intake.none { didSet { reception += 1 } }

    /// Another number whenever something decides anew what happens with messages.
    ///
    /// It makes one comparison a message out of four.
    private(set) var reception = 0

    var boundEndpoints: [Endpoint] = []

    /// Called once, when the socket takes messages again.
    var writableWork: [@Sendable (isolated Reactor) -> Void] = []

    init(handle: UnsafeMutableRawPointer, token: SocketToken, options: SocketOptions) {
        self.handle = handle
        self.token = token
        self.options = options
    }

    /// What to ask `zmq_poll` about this socket now.
    var interest: Int16 {
        var events: Int32 = 0
        if case .none = intake {} else if isReceiving { events |= ZMQ_POLLIN }
        if !writableWork.isEmpty { events |= ZMQ_POLLOUT }
        return Int16(events)
    }

    var isReceiving: Bool { isOpen && !isPaused && !isStalled }
}

/// The sockets of one reactor, found by token.
///
/// Places are used again, serial numbers never are. A class, so that looking a socket up is no access to the reactor's
/// own state.
final class SocketTable {
    private static let serials = Atomic<UInt64>(0)
    private var places: [OpenSocket?] = []
    private var freePlaces: [Int] = []

    subscript(token: SocketToken) -> OpenSocket? {
        guard token.index < places.count, let socket = places[token.index] else { return nil }
        return socket.token.serial == token.serial ? socket : nil
    }

    var all: [OpenSocket] { places.compactMap { $0 } }

    func add(_ handle: UnsafeMutableRawPointer, options: SocketOptions) -> OpenSocket {
        let serial = Self.serials.wrappingAdd(1, ordering: .relaxed).newValue
        let index = freePlaces.popLast() ?? places.count
        if index == places.count { places.append(nil) }
        let socket = OpenSocket(handle: handle, token: SocketToken(index: index, serial: serial), options: options)
        places[index] = socket
        return socket
    }

    func remove(_ socket: OpenSocket) {
        places[socket.token.index] = nil
        freePlaces.append(socket.token.index)
    }
}
