import CZeroMQ

/// The kind of a socket as a type, so that a call that the kind does not support does not compile.
///
/// | kind | receives | sends | connects | also |
/// |---|---|---|---|---|
/// | ``Router`` | messages with their peers | to a given peer | – | keeps messages for peers whose queues are full |
/// | ``Dealer`` | messages | to one of its peers | yes | reports when it can send again |
/// | ``Pair`` | messages | to its only peer | yes | reports when it can send again |
/// | ``Pub`` | – | to subscribers | yes | |
/// | ``XPub`` | subscriptions and messages of subscribers | to subscribers | yes | counts and confirms subscriptions |
/// | ``Sub`` | messages of its topics | – | yes | subscribes to topics |
/// | ``XSub`` | messages of its topics | to publishers | yes | subscribes to topics |
public protocol SocketKind: Sendable {
    /// The messaging pattern of this kind.
    static var pattern: SocketPattern { get }

    /// The default options of this kind, for a long-running program.
    static var defaultOptions: SocketOptions { get }
}

/// A kind of socket that receives messages, and can pause that.
///
/// While the socket is paused, its peers must wait; publishers do not wait but drop messages.
///
/// An ``XPub`` cannot pause: libzmq stores unread subscriptions without a limit, so they are always read.
public protocol ReceivingSocket: SocketKind {}

/// A kind of socket that sends messages without a ``PeerID``.
public protocol SendingSocket: SocketKind {}

/// A kind of socket that can connect as well as bind.
public protocol ConnectingSocket: SocketKind {}

/// A kind of socket that can report when its send queue has room again.
public protocol DirectSocket: ReceivingSocket, SendingSocket, ConnectingSocket {}

/// A kind of socket that publishes messages under topics.
public protocol PublishingSocket: ConnectingSocket {}

/// A kind of socket that receives the messages of the topics it subscribes to.
public protocol SubscribingSocket: ReceivingSocket, ConnectingSocket {}

/// A socket that serves many peers: each received message names its peer, and an answer goes to exactly that peer.
public enum Router: ReceivingSocket {
    /// The ROUTER pattern.
    public static var pattern: SocketPattern { .router }

    /// The same as ``SocketOptions/router``.
    public static var defaultOptions: SocketOptions { .router }
}

/// A socket that sends to one peer, or to several peers in turn; it may send and receive in any order.
public enum Dealer: DirectSocket {
    /// The DEALER pattern.
    public static var pattern: SocketPattern { .dealer }

    /// The same as ``SocketOptions/dealer``.
    public static var defaultOptions: SocketOptions { .dealer }
}

/// A socket that exchanges messages with exactly one other ``Pair`` of the same reactor, over `inproc`.
public enum Pair: DirectSocket {
    /// The PAIR pattern.
    public static var pattern: SocketPattern { .pair }

    /// The same as ``SocketOptions/pair``.
    public static var defaultOptions: SocketOptions { .pair }
}

/// A socket that only publishes; it receives nothing, so the program cannot know the subscribers or the lost messages.
///
/// If a subscriber has no room for a message, libzmq silently drops the message for that subscriber. Use ``XPub`` to
/// know the subscribers.
public enum Pub: PublishingSocket {
    /// The PUB pattern.
    public static var pattern: SocketPattern { .pub }

    /// The same as ``SocketOptions/publisher``.
    public static var defaultOptions: SocketOptions { .publisher }
}

/// A socket that publishes messages and receives subscriptions.
///
/// A program can wait for subscriptions. Each subscriber that uses this module gets a confirmation when this socket
/// knows all of the subscriber's subscriptions.
public enum XPub: PublishingSocket, SendingSocket {
    /// The XPUB pattern.
    public static var pattern: SocketPattern { .xpub }

    /// The same as ``SocketOptions/publisher``.
    public static var defaultOptions: SocketOptions { .publisher }
}

/// A socket that receives the messages of the topics it subscribes to.
public enum Sub: SubscribingSocket {
    /// The SUB pattern.
    public static var pattern: SocketPattern { .sub }

    /// The same as ``SocketOptions/subscriber``.
    public static var defaultOptions: SocketOptions { .subscriber }
}

/// A socket that receives the messages of the topics it subscribes to, and can send messages to its publishers.
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

    /// The ROUTER pattern: each message is sent to a given peer.
    public static let router = SocketPattern(number: ZMQ_ROUTER)

    /// The DEALER pattern: messages are sent to the connected peers in turn.
    public static let dealer = SocketPattern(number: ZMQ_DEALER)

    /// The PAIR pattern: exactly two sockets exchange messages.
    public static let pair = SocketPattern(number: ZMQ_PAIR)

    /// The PUB pattern: messages are sent to all subscribers.
    public static let pub = SocketPattern(number: ZMQ_PUB)

    /// The XPUB pattern: messages are sent to all subscribers, and subscriptions are received.
    public static let xpub = SocketPattern(number: ZMQ_XPUB)

    /// The SUB pattern: messages of subscribed topics are received.
    public static let sub = SocketPattern(number: ZMQ_SUB)

    /// The XSUB pattern: messages of subscribed topics are received, and messages can be sent to publishers.
    public static let xsub = SocketPattern(number: ZMQ_XSUB)
}
