import CZeroMQ

/// The kind of a socket as a type, so that a call that the kind does not support does not compile.
///
/// Every kind binds and connects.
///
/// | kind | receives | sends | talks to |
/// |---|---|---|---|
/// | ``Req`` | the answer to its question | one question at a time | ``Rep``, ``Router`` |
/// | ``Rep`` | questions, one at a time | the answer to the latest question | ``Req``, ``Dealer`` |
/// | ``Dealer`` | messages | to its peers in turn; many questions at a time | ``Router``, ``Rep``, ``Dealer`` |
/// | ``Router`` | messages with their peers | to a given peer | ``Dealer``, ``Req``, ``Router`` |
/// | ``Pub`` | – | to subscribers | ``Sub``, ``XSub`` |
/// | ``XPub`` | subscriptions, and messages of subscribers | to subscribers | ``Sub``, ``XSub`` |
/// | ``Sub`` | messages of its topics | – | ``Pub``, ``XPub`` |
/// | ``XSub`` | messages of its topics | to publishers | ``Pub``, ``XPub`` |
/// | ``Push`` | – | to its peers in turn | ``Pull`` |
/// | ``Pull`` | messages, of all peers fairly | – | ``Push`` |
/// | ``Pair`` | messages of its only peer | to its only peer | ``Pair`` |
/// | ``Stream`` | bytes of a TCP connection | bytes to a given connection | any TCP program |
public protocol SocketKind: Sendable {
    /// libzmq's number of the kind, such as `ZMQ_DEALER`.
    static var number: Int32 { get }
}

/// A kind of socket that receives messages, and can pause that.
///
/// While the socket is paused, its peers must wait; publishers do not wait but drop messages.
///
/// An ``XPub`` cannot pause: libzmq stores unread subscriptions without a limit, so they are always read.
public protocol ReceivingSocket: SocketKind {}

/// A kind of socket that sends messages without a ``PeerID``.
public protocol SendingSocket: SocketKind {}

/// A kind of socket that receives messages with their peers, and sends to a given peer.
public protocol RoutingSocket: ReceivingSocket {}

/// A kind of socket that publishes: the first frame of a message is its topic.
public protocol PublishingSocket: SendingSocket {}

/// A kind of socket that receives the messages of the topics it subscribes to.
public protocol SubscribingSocket: ReceivingSocket {}

/// A socket that asks one question, and may ask the next one only when it has the answer.
///
/// If the peer dies, the answer never comes: close the socket and open another, or set ``SocketOption/requestRelaxed``.
/// ``Reactor/request(_:on:within:)`` of a ``Dealer`` has no such rule, and a ``Rep`` answers it, too.
public enum Req: ReceivingSocket, SendingSocket {
    /// `ZMQ_REQ`.
    public static var number: Int32 { ZMQ_REQ }
}

/// A socket that answers one question after the other; each answer goes to whoever asked the latest question.
public enum Rep: ReceivingSocket, SendingSocket {
    /// `ZMQ_REP`.
    public static var number: Int32 { ZMQ_REP }
}

/// A socket that sends to one peer, or to several peers in turn; it may send and receive in any order.
public enum Dealer: ReceivingSocket, SendingSocket {
    /// `ZMQ_DEALER`.
    public static var number: Int32 { ZMQ_DEALER }
}

/// A socket that serves many peers: each received message names its peer, and an answer goes to exactly that peer.
public enum Router: RoutingSocket {
    /// `ZMQ_ROUTER`.
    public static var number: Int32 { ZMQ_ROUTER }
}

/// A socket that only publishes; it receives nothing, so the program cannot know the subscribers or the lost messages.
///
/// If a subscriber has no room for a message, libzmq silently drops the message for that subscriber. Use ``XPub`` to
/// know the subscribers.
public enum Pub: PublishingSocket {
    /// `ZMQ_PUB`.
    public static var number: Int32 { ZMQ_PUB }
}

/// A socket that publishes messages and receives subscriptions.
///
/// A program can wait for subscriptions. Each subscriber that uses this module gets a confirmation when this socket
/// knows all of the subscriber's subscriptions.
public enum XPub: PublishingSocket {
    /// `ZMQ_XPUB`.
    public static var number: Int32 { ZMQ_XPUB }
}

/// A socket that receives the messages of the topics it subscribes to.
public enum Sub: SubscribingSocket {
    /// `ZMQ_SUB`.
    public static var number: Int32 { ZMQ_SUB }
}

/// A socket that receives the messages of the topics it subscribes to, and can send messages to its publishers.
public enum XSub: SubscribingSocket, SendingSocket {
    /// `ZMQ_XSUB`.
    public static var number: Int32 { ZMQ_XSUB }
}

/// A socket that gives each message to one of its peers, in turn; it waits while no peer has room.
public enum Push: SendingSocket {
    /// `ZMQ_PUSH`.
    public static var number: Int32 { ZMQ_PUSH }
}

/// A socket that takes the messages of all its peers fairly.
public enum Pull: ReceivingSocket {
    /// `ZMQ_PULL`.
    public static var number: Int32 { ZMQ_PULL }
}

/// A socket that exchanges messages with exactly one other ``Pair``; further peers are turned away.
///
/// libzmq means it for `inproc`: over other transports it promises no new connection after a loss.
public enum Pair: ReceivingSocket, SendingSocket {
    /// `ZMQ_PAIR`.
    public static var number: Int32 { ZMQ_PAIR }
}

/// A socket that talks to TCP programs that know no ZeroMQ: each message is some bytes of one connection, in one frame.
///
/// The peer is the connection. An empty message tells that a connection has begun or ended; sending one ends it. There is
/// no encryption.
public enum Stream: RoutingSocket {
    /// `ZMQ_STREAM`.
    public static var number: Int32 { ZMQ_STREAM }
}
