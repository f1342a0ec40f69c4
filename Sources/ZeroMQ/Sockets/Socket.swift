/// A handle for a socket of one kind; the socket itself never leaves its reactor.
///
/// libzmq may end the process if two threads use the same socket. In this module only ``Reactor`` methods use a socket,
/// and these methods run on the reactor's thread. So code that uses a socket on another thread does not compile. A
/// handle may be copied and sent to any thread. With a handle of a closed socket, or of another reactor's socket, a
/// method does nothing, returns ``SendOutcome/unreachable`` or throws an error with code `closed`, as the method
/// describes.
public struct Socket<Kind: SocketKind>: Sendable {
    @usableFromInline let token: SocketToken
    /// The reactor that the socket belongs to.
    public let reactor: Reactor
    let inbox: Inbox
}

extension Socket: Hashable {
    /// Whether both handles are of the same socket.
    ///
    /// - Parameters:
    ///   - left: A handle.
    ///   - right: Another handle.
    /// - Returns: Whether the socket is the same.
    public static func == (left: Socket, right: Socket) -> Bool { left.token == right.token }

    /// Hashes the identity of the socket.
    ///
    /// - Parameter hasher: The hasher to feed.
    public func hash(into hasher: inout Hasher) { hasher.combine(token) }
}

extension Socket: CustomStringConvertible {
    /// The socket's kind and a number that is unique in the process.
    public var description: String { "Socket<\(Kind.self)>(\(token.serial))" }
}

/// The index of a socket in its reactor's table, and the socket's serial number.
///
/// The serial number is unique in the process, so the token of a closed socket or of another reactor never matches.
@usableFromInline
struct SocketToken: Hashable, Sendable {
    let index: Int
    let serial: UInt64
}
