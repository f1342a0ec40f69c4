/// A socket of one kind, as a name for it: the socket itself never leaves its reactor.
///
/// libzmq ends the process when two threads use one socket. Here a socket is only usable through a ``Reactor`` method,
/// and those run on the reactor's thread, so the mistake does not compile. A token may be copied and sent anywhere; one
/// whose socket was closed, or that belongs to another reactor, reaches no socket at all.
public struct Socket<Kind: SocketKind>: Hashable, Sendable {
    @usableFromInline let token: SocketToken
}

extension Socket: CustomStringConvertible {
    /// The kind and a number that is unique in the process.
    public var description: String { "Socket<\(Kind.self)>(\(token.serial))" }
}

/// Place and serial number of a socket.
///
/// The serial is unique in the process, so an old or a foreign token never fits.
@usableFromInline
struct SocketToken: Hashable, Sendable {
    let index: Int
    let serial: UInt64
}
