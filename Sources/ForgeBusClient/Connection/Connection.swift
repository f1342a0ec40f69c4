import ForgeBusProtocol
import ZeroMQ

/// The state of the client's connection: the current endpoint, whether requests can be sent, and whether libzmq or the
/// client connects again after a failure.
///
/// Pure: a method handles one event and returns the next step, which the caller carries out. With one endpoint, libzmq
/// connects again by itself after most failures. With several endpoints, the client tries one after the other. It then
/// asks each worker for its store before it sends requests.
struct Connection {
    private enum State {
        /// The client tries the endpoint; the value is the reason why the last handshake failed, or nil.
        case connecting(HandshakeFailure?)
        /// The client has reached a worker, and has sent a HELLO with this id to ask for the store. The client sends no
        /// other request yet.
        case greeting(RequestID)
        /// The client sends requests in the order of the queue; the store is nil if the client did not ask for it, or
        /// if the worker named none.
        case established(SendQueue, store: String?)
        /// The handshake failed, and libzmq does not connect again.
        case abandoned(HandshakeFailure)
        /// The client was closed.
        case closed
    }

    /// What to do after a successful handshake.
    enum Beginning: Hashable {
        /// Do nothing: the client was closed.
        case nothing
        /// Send a HELLO with this id, to ask the worker for its store.
        case greet(RequestID)
        /// Send all waiting requests.
        case sendEverything
    }

    /// What to do after a failed handshake.
    enum FailureStep: Hashable {
        /// Do nothing: libzmq connects again, or the client tries another endpoint.
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

    /// Makes a connection to one of several endpoints.
    ///
    /// - Parameters:
    ///   - endpoints: The number of endpoints.
    ///   - pauses: The pauses before attempts; the first attempt at each endpoint needs no pause.
    init(endpoints: Int = 1, pauses: Backoff = Backoff(from: .milliseconds(100), upTo: .seconds(10))) {
        turns = EndpointTurns(count: endpoints, pauses: pauses)
    }

    /// The index of the current endpoint.
    var place: Int { turns.place }

    /// How long one attempt to connect may take, until the worker has named its store; used only with several
    /// endpoints.
    var attemptLasts: Duration { turns.attemptLasts }

    /// Whether the client has more than one endpoint.
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

    /// The store that a request reaches if the client sends the request now.
    var reach: Reach {
        switch state {
        case .established(_, let store): .store(store)
        case .connecting, .greeting, .abandoned, .closed: .nowhere
        }
    }

    /// Whether a request that may have been sent to the store `reach` may be sent on this connection.
    func permits(_ reach: Reach) -> Bool {
        switch state {
        // A client with only one endpoint does not ask the worker for its store.
        case .established(_, let store): !hasOthers || reach.permits(store)
        case .connecting, .greeting, .abandoned, .closed: false
        }
    }

    /// Records that the handshake succeeded.
    mutating func handshakeSucceeded() -> Beginning {
        if isClosed { return .nothing }
        refusals = []
        guard hasOthers else {
            // A new connection begins with an empty queue and window: its worker may have another limit.
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

    /// Records that the worker has answered the HELLO.
    mutating func greeted(_ welcome: Welcome) {
        guard case .greeting(let hello) = state else { return }
        var queue = SendQueue()
        // WELCOME also contains the worker's limit for the window.
        _ = queue.heard(.welcome(welcome), for: hello)
        state = .established(queue, store: welcome.store)
    }

    /// Records that the worker has answered a request, so the next failure causes no pause.
    ///
    /// The answer to the HELLO does not count. A worker that answers nothing else must not make the client connect
    /// again without pauses.
    mutating func answered() { turns.succeeded() }

    /// Records that the handshake failed.
    mutating func handshakeFailed(_ failure: HandshakeFailure) -> FailureStep {
        if isClosed { return .wait }
        switch failure {
        case .ended:
            state = .connecting(failure)
            return .wait
        // Status 400 means that the authenticator refuses the key (ZeroMQ RFC 27). Like the code `forbidden`, it is not
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

    /// Records that the connection was lost, or could not be made.
    ///
    /// - Returns: Whether the client could send requests before this event.
    mutating func disconnected() -> Bool {
        let wasEstablished = isEstablished
        switch state {
        case .established, .greeting: state = .connecting(nil)
        case .connecting, .abandoned, .closed: break
        }
        return wasEstablished
    }

    /// Changes to the next endpoint, because the current one could not be reached, was lost or does not answer.
    ///
    /// - Returns: The pause before the next attempt; nil if there is no other endpoint, or the client was closed.
    mutating func movesOn() -> Duration? {
        guard hasOthers, !isClosed else { return nil }
        state = .connecting(handshakeFailure)
        return turns.failed()
    }

    /// Records that a request begins, or that the pause after a failed handshake is over.
    ///
    /// - Returns: Whether the caller must connect again, because libzmq does not do so.
    mutating func wanted() -> Bool {
        guard case .abandoned(let failure) = state else { return false }
        state = .connecting(failure)
        return true
    }

    /// Records that the client was closed.
    mutating func close() { state = .closed }

    /// Passes an event to the queue.
    ///
    /// - Returns: The queue's next step; ``SendQueue/Step/wait`` if requests cannot be sent now.
    mutating func queue(_ event: (inout SendQueue) -> SendQueue.Step) -> SendQueue.Step {
        guard case .established(var queue, let store) = state else { return .wait }
        // The state must not hold the queue while the event changes it; otherwise Swift would copy the queue.
        state = .connecting(nil)
        defer { state = .established(queue, store: store) }
        return event(&queue)
    }
}
