import CZeroMQ

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
        /// An XPUB: taken in whether anybody asked or not, because libzmq keeps subscriptions without a limit.
        case subscriptions((@Sendable (isolated Reactor, SubscriberEvent) -> Void)?)
        case batches(Batches<Message>)
        case routedBatches(Batches<RoutedMessage>)

        /// Nothing comes any more: a sequence ends.
        func finish() {
            switch self {
            case .none, .messages, .routed, .subscriptions: break
            case .batches(let batches): batches.inbox.finish()
            case .routedBatches(let batches): batches.inbox.finish()
            }
        }
    }

    let handle: UnsafeMutableRawPointer
    let token: SocketToken
    let pattern: SocketPattern
    let options: SocketOptions

    /// What its connections speak, once something was bound or connected.
    var security: SocketSecurity?

    /// libzmq's reports about it, when somebody asks for them or it listens.
    var monitor: SocketMonitor?
    var eventHandler: (@Sendable (isolated Reactor, SocketEvent) -> Void)?
    var eventsEnd: (@Sendable () -> Void)?
    var breaker = ListenerBreaker()

    /// A ROUTER's messages for peers whose queues are full.
    var outboxes: Outboxes
    /// When they are tried again.
    var outboxRetry: (timer: TimerID, moment: ContinuousClock.Instant)?
    var undeliveredHandler: (@Sendable (isolated Reactor, Undelivered) -> Void)?

    /// What an XPUB knows of its subscribers.
    var subscribers = SubscriberBook()
    var publisherWaits: [PublisherWait] = []

    /// What a SUB or XSUB has subscribed to.
    var subscription = Subscription()

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

    init(handle: UnsafeMutableRawPointer, token: SocketToken, pattern: SocketPattern, options: SocketOptions) {
        self.handle = handle
        self.token = token
        self.pattern = pattern
        self.options = options
        outboxes = Outboxes(limits: options.outbox)
        if pattern == .xpub { intake = .subscriptions(nil) }
    }

    /// Whether its messages come with the key of who sent them.
    var readsKeys: Bool {
        if case .server = security { true } else { false }
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
