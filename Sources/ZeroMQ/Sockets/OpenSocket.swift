import CZeroMQ
import DequeModule

/// One open socket and the reactor's state for it.
///
/// Owned by the reactor thread.
final class OpenSocket {
    /// The receiver of a socket's messages.
    enum Intake {
        /// Nobody receives messages yet.
        case none
        case messages((Message) -> Void)
        /// Tasks take the messages from the inbox.
        case inbox
        /// A proxy moves the messages to another socket.
        case proxy(Forwarding)
        /// An XPUB's events, with or without a handler.
        ///
        /// The reactor always reads them, because libzmq stores unread subscriptions without a limit.
        case subscriptions(((SubscriberEvent) -> Void)?)
    }

    let handle: UnsafeMutableRawPointer
    let token: SocketToken
    /// libzmq's number of the kind.
    let kind: Int32
    let options: SocketOptions
    let inbox: Inbox

    /// Messages from the inbox that the handler which took its place must get first.
    var leftovers: Deque<Message> = []

    /// The security mechanism of the socket's connections; nil before the first bind or connect.
    var security: SocketSecurity?

    /// libzmq's reports about this socket; nil until the socket first listens outside inproc or gets an event handler.
    var monitor: SocketMonitor?
    var eventHandler: ((SocketEvent) -> Void)?
    var eventsEnd: (() -> Void)?
    var breaker = ListenerBreaker()

    /// The messages of tasks that wait until the socket has room, in order.
    var line: Deque<(wait: WaitID, message: Message, endsWhenSent: Bool)> = []
    /// The questions that tasks have asked, for a DEALER.
    var requests = Requests()

    /// The tasks that wait on this socket.
    var waits: Set<WaitID> = []

    /// A ROUTER's messages for peers whose queues are full.
    var lines = PeerLines()
    /// The timer that sends the messages of these lines again, and its deadline; nil if no retry is scheduled.
    var retry: (timer: TimerID, moment: ContinuousClock.Instant)?

    /// The subscriptions of an XPUB's subscribers.
    var subscribers: SubscriberBook
    /// The tasks that wait for so many subscriptions to a topic.
    var subscriberWaits: [WaitID: (topic: TopicPrefix, count: Int)] = [:]

    /// The subscriptions of a SUB or XSUB.
    var subscription = Subscription()

    var isOpen = true { didSet { reception += 1 } }

    /// Whether the program paused the socket.
    var isPaused = false { didSet { reception += 1 } }

    /// Whether the inbox is full.
    var isStalled = false { didSet { reception += 1 } }

    var intake = Intake.none { didSet { reception += 1 } }

    /// A number that changes whenever `intake`, `isOpen`, `isPaused` or `isStalled` is set.
    ///
    /// So the receive loop needs one comparison for each message instead of four.
    private(set) var reception = 0

    /// An endpoint that the socket is bound to, with its mechanism and keys; binding it again uses the same keys.
    struct Listener {
        let endpoint: Endpoint
        let security: SocketSecurity
    }

    var listeners: [Listener] = []
    var boundEndpoints: [Endpoint] { listeners.map(\.endpoint) }

    /// Closures to call once, when the socket can send again.
    var writableWork: [() -> Void] = []

    init(
        handle: UnsafeMutableRawPointer,
        token: SocketToken,
        kind: Int32,
        options: SocketOptions,
        inbox: Inbox
    ) {
        self.handle = handle
        self.token = token
        self.kind = kind
        self.options = options
        self.inbox = inbox
        subscribers = SubscriberBook(mostOfKey: options.subscriptionsPerKey)
        if kind == ZMQ_XPUB { intake = .subscriptions(nil) }
    }

    /// Forgets a wait that has ended.
    func forget(_ wait: WaitID) {
        waits.remove(wait)
        lines.remove(wait)
        if !line.isEmpty { line.removeAll { $0.wait == wait } }
        requests.end(wait)
        subscriberWaits[wait] = nil
        subscription.waits[wait] = nil
    }

    /// Whether messages on this socket come with the sender's key.
    var readsKeys: Bool {
        if case .server = security { true } else { false }
    }

    /// The events to request from `zmq_poll` for this socket now.
    var interest: Int16 {
        var events: Int32 = 0
        if case .none = intake {} else if isReceiving { events |= ZMQ_POLLIN }
        if !writableWork.isEmpty || !line.isEmpty { events |= ZMQ_POLLOUT }
        return Int16(events)
    }

    var isReceiving: Bool { isOpen && !isPaused && !isStalled }
}
