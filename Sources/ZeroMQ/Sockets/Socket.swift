/// A socket of one kind, as a name for it: the socket itself never leaves its reactor.
///
/// libzmq ends the process when two threads use one socket. Here a socket is only usable through a ``Reactor`` method,
/// and those run on the reactor's thread, so the mistake does not compile. A token may be copied and sent anywhere; one
/// whose socket was closed, or that belongs to another reactor, reaches no socket at all.
public struct Socket<Kind: SocketKind>: Hashable, Sendable {
    let token: SocketToken
}

extension Socket: CustomStringConvertible {
    /// The kind and a number that is unique in the process.
    public var description: String { "Socket<\(Kind.self)>(\(token.serial))" }
}

/// What a socket can do, as a type: what a kind cannot do does not compile.
public protocol SocketKind: Sendable {
    /// The pattern this kind stands for.
    static var pattern: SocketPattern { get }

    /// Options that suit this kind in a long-running program.
    static var defaultOptions: SocketOptions { get }
}

/// Serves many peers: each received message says which peer it came from, and an answer goes to exactly that one.
public enum Router: SocketKind {
    /// The ROUTER pattern.
    public static var pattern: SocketPattern { .router }

    /// The same as ``SocketOptions/router``.
    public static var defaultOptions: SocketOptions { .router }
}

/// Talks to one peer, or shares messages out among several; sends and receives in any order.
public enum Dealer: SocketKind {
    /// The DEALER pattern.
    public static var pattern: SocketPattern { .dealer }

    /// The same as ``SocketOptions/dealer``.
    public static var defaultOptions: SocketOptions { .dealer }
}

/// One of ZeroMQ's messaging patterns.
public struct SocketPattern: Hashable, Sendable {
    let name: String

    /// Replies are routed to the peer they are meant for.
    public static let router = SocketPattern(name: "ROUTER")

    /// Messages are dealt out to the connected peers in turn.
    public static let dealer = SocketPattern(name: "DEALER")
}

/// Place and serial number of a socket.
///
/// The serial is unique in the process, so an old or a foreign token never fits.
struct SocketToken: Hashable, Sendable {
    let index: Int
    let serial: UInt64
}
