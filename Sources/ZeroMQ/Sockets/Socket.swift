/// A handle for a socket of one kind; the socket itself never leaves its reactor.
///
/// libzmq ends the process when two threads use one socket. Here only ``Reactor`` methods use a socket, and they run on
/// the reactor's thread, so the mistake does not compile. A handle may be copied and sent anywhere. A handle of a
/// closed socket, or of another reactor's socket, reaches no socket.
public struct Socket<Kind: SocketKind>: Hashable, Sendable {
    @usableFromInline let token: SocketToken
}

extension Socket: CustomStringConvertible {
    /// The kind and a number that is unique in the process.
    public var description: String { "Socket<\(Kind.self)>(\(token.serial))" }
}

/// The place and the serial number of a socket.
///
/// The serial is unique in the process, so an old or foreign token never matches.
@usableFromInline
struct SocketToken: Hashable, Sendable {
    let index: Int
    let serial: UInt64
}
