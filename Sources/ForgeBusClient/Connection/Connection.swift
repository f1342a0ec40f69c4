import ForgeBusProtocol
import ZeroMQ

/// The client's connection to its worker: which endpoint it uses, whether requests can leave, and who connects again.
///
/// Pure: each method is an event, and returns what to do. With one endpoint, libzmq connects again by itself after most
/// failures. With several, the client tries one after the other, and first asks each worker for its store.
struct Connection {
    private enum State {
        /// The client tries the endpoint; the value says why the last handshake failed, or is nil.
        case connecting(HandshakeFailure?)
        /// The client has reached a worker, and has sent a HELLO with this id to ask for its store; nothing else
        /// leaves.
        case greeting(RequestID)
        /// Requests leave in the order of the queue; the store is nil if the client did not ask, or the worker named
        /// none.
        case established(SendQueue, store: String?)
        /// The handshake failed, and libzmq does not try again.
        case abandoned(HandshakeFailure)
        /// The client was closed.
        case closed
    }

    /// What to do after a successful handshake.
    enum Beginning: Hashable {
        /// Nothing: the client was closed.
        case nothing
        /// Ask the worker for its store, with a HELLO with this id.
        case greet(RequestID)
        /// Send all waiting requests.
        case sendEverything
    }

    /// What to do after a failed handshake.
    enum FailureStep: Hashable {
        /// Nothing: libzmq tries again, or the client tries another endpoint.
        case wait
        /// Connect again after a pause.
        case reconnectLater
        /// End every request: all endpoints refuse the client's key.
        case endRequests
    }

    private var state = State.connecting(nil)
    private var turns: EndpointTurns
    /// The endpoints that have refused the client's key since the last successful handshake.
    private var refusals: Set<Int> = []

    /// Makes a connection to one of `endpoints` endpoints; `pauses` come before the attempts after the first round.
    init(endpoints: Int = 1, pauses: Backoff = Backoff(from: .milliseconds(100), upTo: .seconds(10))) {
        turns = EndpointTurns(count: endpoints, pauses: pauses)
    }

    /// The index of the current endpoint.
    var place: Int { turns.place }

    /// With several endpoints: how long an attempt may take until the worker has named its store.
    var attemptLasts: Duration { turns.attemptLasts }

    /// Whether there are other endpoints.
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

    /// Why the last handshake failed; nil if it did not fail.
    var handshakeFailure: HandshakeFailure? {
        switch state {
        case .connecting(let failure): failure
        case .abandoned(let failure): failure
        case .greeting, .established, .closed: nil
        }
    }

    /// The reach of a request that is handed to the connection now.
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

    /// Whether this is the id of the HELLO that waits for its answer.
    func isGreeting(_ id: RequestID) -> Bool {
        if case .greeting(let hello) = state { hello == id } else { false }
    }

    /// The worker has answered the HELLO.
    mutating func greeted(_ welcome: Welcome) {
        guard case .greeting(let hello) = state else { return }
        var queue = SendQueue()
        // WELCOME also contains the worker's limit for the window.
        _ = queue.heard(.welcome(welcome), for: hello)
        state = .established(queue, store: welcome.store)
    }

    /// The worker has answered a request, so the next failure causes no pause.
    ///
    /// The answer to the HELLO does not count: a worker that answers nothing else must not be tried again without
    /// pauses.
    mutating func answered() { turns.succeeded() }

    /// The handshake failed.
    mutating func handshakeFailed(_ failure: HandshakeFailure) -> FailureStep {
        if isClosed { return .wait }
        switch failure {
        case .ended:
            state = .connecting(failure)
            return .wait
        // Status 400: the authenticator refuses the key (ZeroMQ RFC 27). Like `forbidden`, this refusal is not
        // temporary.
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

    /// The connection was lost, or could not be made.
    ///
    /// - Returns: Whether requests could leave on it.
    mutating func disconnected() -> Bool {
        let wasEstablished = isEstablished
        switch state {
        case .established, .greeting: state = .connecting(nil)
        case .connecting, .abandoned, .closed: break
        }
        return wasEstablished
    }

    /// The endpoint could not be reached, was lost, or does not answer, so the client changes to the next one.
    ///
    /// - Returns: The pause before the next attempt; nil if there is no other endpoint, or the client was closed.
    mutating func movesOn() -> Duration? {
        guard hasOthers, !isClosed else { return nil }
        state = .connecting(handshakeFailure)
        return turns.failed()
    }

    /// A request begins, or the pause after a failed handshake is over.
    ///
    /// - Returns: Whether to connect again, because libzmq does not.
    mutating func wanted() -> Bool {
        guard case .abandoned(let failure) = state else { return false }
        state = .connecting(failure)
        return true
    }

    /// The client is closed.
    mutating func close() { state = .closed }

    /// Passes an event to the queue.
    ///
    /// - Returns: The queue's next step; ``SendQueue/Step/wait`` if no request can leave.
    mutating func queue(_ event: (inout SendQueue) -> SendQueue.Step) -> SendQueue.Step {
        guard case .established(var queue, let store) = state else { return .wait }
        // Move the queue out of the state while it changes; otherwise Swift would copy it.
        state = .connecting(nil)
        defer { state = .established(queue, store: store) }
        return event(&queue)
    }
}
