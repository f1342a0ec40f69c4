import ForgeBusProtocol
import ZeroMQ

/// The state of the client's connection: its endpoint, and whether requests can be sent.
///
/// Pure: each method is an event, and returns what to do. With a single endpoint, libzmq reconnects by itself, except
/// after some failed handshakes. With several endpoints, the client tries one at a time, and first asks the worker
/// there for its store.
struct Connection {
    private enum State {
        /// The client tries the endpoint; the value is the last failed handshake, or nil.
        case connecting(HandshakeFailure?)
        /// The client has asked the worker for its store, with a HELLO of this id; it sends nothing else yet.
        case greeting(RequestID)
        /// The client sends requests, in the order of the queue, to a worker with this store; nil if the store is
        /// unknown.
        case established(SendQueue, store: String?)
        /// The handshake failed in a way after which libzmq does not try again.
        case abandoned(HandshakeFailure)
        /// The client was closed.
        case closed
    }

    /// What to do after a successful handshake.
    enum Beginning: Hashable {
        /// Nothing, because the client is closed.
        case nothing
        /// Ask the worker for its store, with a HELLO of this id.
        case greet(RequestID)
        /// Send everything that waits.
        case sendEverything
    }

    /// What to do after a failed handshake.
    enum FailureStep: Hashable {
        /// Nothing: libzmq tries again, or the client tries another endpoint.
        case wait
        /// Connect again after a pause.
        case reconnectLater
        /// End all requests: every endpoint refused the client's key.
        case endRequests
    }

    private var state = State.connecting(nil)
    private var turns: EndpointTurns
    /// The endpoints that have refused the client's key since the last successful handshake.
    private var refusals: Set<Int> = []

    /// Creates a connection for a number of endpoints, with these pauses between rounds.
    init(endpoints: Int = 1, pauses: Backoff = Backoff(from: .milliseconds(100), upTo: .seconds(10))) {
        turns = EndpointTurns(count: endpoints, pauses: pauses)
    }

    /// The index of the current endpoint.
    var place: Int { turns.place }

    /// How long the worker may take to name its store, if there are several endpoints.
    var attemptLasts: Duration { turns.attemptLasts }

    /// Whether there are several endpoints.
    var hasOthers: Bool { turns.count > 1 }

    /// Whether requests can be sent.
    var isEstablished: Bool {
        switch state {
        case .established: true
        case .connecting, .greeting, .abandoned, .closed: false
        }
    }

    /// Whether the client was closed.
    var isClosed: Bool {
        switch state {
        case .closed: true
        case .connecting, .greeting, .established, .abandoned: false
        }
    }

    /// The last failed handshake; nil if there was none, or if a later handshake succeeded.
    var handshakeFailure: HandshakeFailure? {
        switch state {
        case .connecting(let failure): failure
        case .abandoned(let failure): failure
        case .greeting, .established, .closed: nil
        }
    }

    /// The reach of a request that is sent now.
    var reach: Reach {
        switch state {
        case .established(_, let store): .store(store)
        case .connecting, .greeting, .abandoned, .closed: .nowhere
        }
    }

    /// Whether a request with this reach may be sent on this connection.
    func permits(_ reach: Reach) -> Bool {
        switch state {
        // Of its one endpoint the client does not ask who is there.
        case .established(_, let store): !hasOthers || reach.permits(store)
        case .connecting, .greeting, .abandoned, .closed: false
        }
    }

    /// The handshake succeeded.
    mutating func handshakeSucceeded() -> Beginning {
        if isClosed { return .nothing }
        refusals = []
        guard hasOthers else {
            // Nothing is on its way on a new connection, and its worker may be another one.
            state = .established(SendQueue(), store: nil)
            return .sendEverything
        }
        let hello = RequestID.random()
        state = .greeting(hello)
        return .greet(hello)
    }

    /// Whether this is the id of the HELLO that asks for the worker's store.
    func isGreeting(_ id: RequestID) -> Bool {
        if case .greeting(let hello) = state { hello == id } else { false }
    }

    /// The worker answered the HELLO.
    mutating func greeted(_ welcome: Welcome) {
        guard case .greeting(let hello) = state else { return }
        var queue = SendQueue()
        // It told its limit along with that.
        _ = queue.heard(.welcome(welcome), for: hello)
        state = .established(queue, store: welcome.store)
    }

    /// The worker answered a request, so pauses and attempts get short again; an answer to HELLO does not do that.
    mutating func answered() { turns.succeeded() }

    /// The handshake failed.
    mutating func handshakeFailed(_ failure: HandshakeFailure) -> FailureStep {
        if isClosed { return .wait }
        switch failure {
        case .ended:
            state = .connecting(failure)
            return .wait
        // The authenticator's "no" to a key (ZeroMQ RFC 27). It is no more for now than `forbidden` is.
        case .refused(status: 400):
            state = .abandoned(failure)
            refusals.insert(place)
            guard refusals.count == turns.count else { return .wait }
            refusals = []
            return .endRequests
        case .refused, .protocolError:
            state = .abandoned(failure)
            return hasOthers ? .wait : .reconnectLater
        }
    }

    /// The connection was lost, or was never established.
    ///
    /// - Returns: Whether it was established.
    mutating func disconnected() -> Bool {
        let wasEstablished = isEstablished
        switch state {
        case .established, .greeting: state = .connecting(nil)
        case .connecting, .abandoned, .closed: break
        }
        return wasEstablished
    }

    /// The client could not reach the endpoint, lost it or got no answer: it tries the next one.
    ///
    /// - Returns: The pause before the next endpoint; nil if there is no other.
    mutating func movesOn() -> Duration? {
        guard hasOthers, !isClosed else { return nil }
        state = .connecting(handshakeFailure)
        return turns.failed()
    }

    /// A request begins, or a pause is over.
    ///
    /// - Returns: Whether to connect again, because libzmq does not.
    mutating func wanted() -> Bool {
        guard case .abandoned(let failure) = state else { return false }
        state = .connecting(failure)
        return true
    }

    /// The client is closed.
    mutating func close() { state = .closed }

    /// Passes an event to the queue of requests to send.
    ///
    /// - Returns: The step that `event` returns; ``SendQueue/Step/wait`` if no connection is established.
    mutating func queue(_ event: (inout SendQueue) -> SendQueue.Step) -> SendQueue.Step {
        guard case .established(var queue, let store) = state else { return .wait }
        // The queue has one owner while it changes, or it would be copied.
        state = .connecting(nil)
        defer { state = .established(queue, store: store) }
        return event(&queue)
    }
}
