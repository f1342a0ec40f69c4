import CZeroMQ

/// What a socket can do, as a type: what a kind cannot do does not compile.
///
/// | kind | receives | sends | connects | besides |
/// |---|---|---|---|---|
/// | ``Router`` | messages with their peers | to one peer | – | outboxes |
/// | ``Dealer`` | messages | to one of its peers | yes | tells when there is room |
/// | ``Pair`` | messages | to its one peer | yes | tells when there is room |
/// | ``Pub`` | – | to subscribers | yes | |
/// | ``XPub`` | subscriptions | to subscribers | yes | knows and answers its subscribers |
/// | ``Sub`` | what it has subscribed to | – | yes | subscribes |
/// | ``XSub`` | what it has subscribed to | upstream | yes | subscribes |
public protocol SocketKind: Sendable {
    /// The pattern this kind stands for.
    static var pattern: SocketPattern { get }

    /// Options that suit this kind in a long-running program.
    static var defaultOptions: SocketOptions { get }
}

/// A kind whose reception may be paused.
///
/// Its peers are made to wait; publishers do not wait, they drop.
///
/// An ``XPub`` is none: libzmq keeps subscriptions without a limit, so they are always taken in.
public protocol PausableSocket: SocketKind {}

/// A kind whose messages come without a peer.
public protocol ReceivingSocket: PausableSocket {}

/// A kind that sends without naming a peer.
public protocol SendingSocket: SocketKind {}

/// A kind that may connect, and not only bind.
public protocol ConnectingSocket: SocketKind {}

/// A kind with a queue towards its peers that may be full and has room again later.
public protocol DirectSocket: ReceivingSocket, SendingSocket, ConnectingSocket {}

/// A kind that publishes under topics.
public protocol PublishingSocket: ConnectingSocket {}

/// A kind that receives what it has subscribed to.
public protocol SubscribingSocket: ReceivingSocket, ConnectingSocket {}

/// Serves many peers: each received message says which peer it came from, and an answer goes to exactly that one.
public enum Router: PausableSocket {
    /// The ROUTER pattern.
    public static var pattern: SocketPattern { .router }

    /// The same as ``SocketOptions/router``.
    public static var defaultOptions: SocketOptions { .router }
}

/// Talks to one peer, or shares messages out among several; sends and receives in any order.
public enum Dealer: DirectSocket {
    /// The DEALER pattern.
    public static var pattern: SocketPattern { .dealer }

    /// The same as ``SocketOptions/dealer``.
    public static var defaultOptions: SocketOptions { .dealer }
}

/// Talks to exactly one other ``Pair`` on the same reactor, over `inproc`.
public enum Pair: DirectSocket {
    /// The PAIR pattern.
    public static var pattern: SocketPattern { .pair }

    /// The same as ``SocketOptions/pair``.
    public static var defaultOptions: SocketOptions { .pair }
}

/// Publishes and never hears back: who subscribed, and what was lost, it does not know.
///
/// What a subscriber has no room for is dropped without a word. ``XPub`` is the one that knows its subscribers.
public enum Pub: PublishingSocket {
    /// The PUB pattern.
    public static var pattern: SocketPattern { .pub }

    /// The same as ``SocketOptions/publisher``.
    public static var defaultOptions: SocketOptions { .publisher }
}

/// Publishes, and hears of every subscription: it can wait for subscribers, and tells them that it knows them.
public enum XPub: PublishingSocket, SendingSocket {
    /// The XPUB pattern.
    public static var pattern: SocketPattern { .xpub }

    /// The same as ``SocketOptions/publisher``.
    public static var defaultOptions: SocketOptions { .publisher }
}

/// Receives what was published under the topics it subscribes to.
public enum Sub: SubscribingSocket {
    /// The SUB pattern.
    public static var pattern: SocketPattern { .sub }

    /// The same as ``SocketOptions/subscriber``.
    public static var defaultOptions: SocketOptions { .subscriber }
}

/// Receives what was published under the topics it subscribes to, and may send messages upstream.
public enum XSub: SubscribingSocket, SendingSocket {
    /// The XSUB pattern.
    public static var pattern: SocketPattern { .xsub }

    /// The same as ``SocketOptions/subscriber``.
    public static var defaultOptions: SocketOptions { .subscriber }
}

/// One of ZeroMQ's messaging patterns.
public struct SocketPattern: Hashable, Sendable {
    /// libzmq's number for the pattern.
    let number: Int32

    /// Replies are routed to the peer they are meant for.
    public static let router = SocketPattern(number: ZMQ_ROUTER)

    /// Messages are dealt out to the connected peers in turn.
    public static let dealer = SocketPattern(number: ZMQ_DEALER)

    /// Two sockets, and nobody else.
    public static let pair = SocketPattern(number: ZMQ_PAIR)

    /// Messages go to whoever has subscribed.
    public static let pub = SocketPattern(number: ZMQ_PUB)

    /// Messages go to whoever has subscribed, and subscriptions come in.
    public static let xpub = SocketPattern(number: ZMQ_XPUB)

    /// Messages come in as they were subscribed to.
    public static let sub = SocketPattern(number: ZMQ_SUB)

    /// Messages come in as they were subscribed to, and messages may go upstream.
    public static let xsub = SocketPattern(number: ZMQ_XSUB)
}
