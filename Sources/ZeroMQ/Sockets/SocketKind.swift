import CZeroMQ

/// The abilities of a socket as a type: calling a kind without the ability does not compile.
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
    /// The pattern of this kind.
    static var pattern: SocketPattern { get }

    /// Options that suit this kind in a long-running program.
    static var defaultOptions: SocketOptions { get }
}

/// A kind that can pause receiving.
///
/// Its peers must wait; publishers do not wait, they drop.
///
/// An ``XPub`` cannot pause: libzmq stores subscriptions without a limit, so they are always read.
public protocol PausableSocket: SocketKind {}

/// A kind whose messages come without a peer id.
public protocol ReceivingSocket: PausableSocket {}

/// A kind that sends without a peer id.
public protocol SendingSocket: SocketKind {}

/// A kind that may connect, besides binding.
public protocol ConnectingSocket: SocketKind {}

/// A kind with a queue to its peers that may be full and later has room again.
public protocol DirectSocket: ReceivingSocket, SendingSocket, ConnectingSocket {}

/// A kind that publishes under topics.
public protocol PublishingSocket: ConnectingSocket {}

/// A kind that receives the topics it subscribes to.
public protocol SubscribingSocket: ReceivingSocket, ConnectingSocket {}

/// Serves many peers: each received message names its peer, and an answer goes to exactly that peer.
public enum Router: PausableSocket {
    /// The ROUTER pattern.
    public static var pattern: SocketPattern { .router }

    /// The same as ``SocketOptions/router``.
    public static var defaultOptions: SocketOptions { .router }
}

/// Talks to one peer, or distributes messages among several; sends and receives in any order.
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

/// Publishes and receives nothing: it does not know its subscribers, or what was lost.
///
/// A message for which a subscriber has no room is dropped silently. ``XPub`` knows its subscribers.
public enum Pub: PublishingSocket {
    /// The PUB pattern.
    public static var pattern: SocketPattern { .pub }

    /// The same as ``SocketOptions/publisher``.
    public static var defaultOptions: SocketOptions { .publisher }
}

/// Publishes and receives every subscription: it can wait for subscribers, and confirms their subscriptions.
public enum XPub: PublishingSocket, SendingSocket {
    /// The XPUB pattern.
    public static var pattern: SocketPattern { .xpub }

    /// The same as ``SocketOptions/publisher``.
    public static var defaultOptions: SocketOptions { .publisher }
}

/// Receives messages under the topics it subscribes to.
public enum Sub: SubscribingSocket {
    /// The SUB pattern.
    public static var pattern: SocketPattern { .sub }

    /// The same as ``SocketOptions/subscriber``.
    public static var defaultOptions: SocketOptions { .subscriber }
}

/// Receives messages under the topics it subscribes to, and may send messages upstream.
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

    /// Replies are routed to a given peer.
    public static let router = SocketPattern(number: ZMQ_ROUTER)

    /// Messages go to the connected peers in turn.
    public static let dealer = SocketPattern(number: ZMQ_DEALER)

    /// Two sockets, exactly.
    public static let pair = SocketPattern(number: ZMQ_PAIR)

    /// Messages go to all subscribers.
    public static let pub = SocketPattern(number: ZMQ_PUB)

    /// Messages go to all subscribers, and subscriptions come in.
    public static let xpub = SocketPattern(number: ZMQ_XPUB)

    /// Subscribed messages come in.
    public static let sub = SocketPattern(number: ZMQ_SUB)

    /// Subscribed messages come in, and messages may go upstream.
    public static let xsub = SocketPattern(number: ZMQ_XSUB)
}
