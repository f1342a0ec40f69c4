import ForgeBusProtocol
import ZeroMQ

/// The client's connection to its worker: at which endpoint, whether requests can leave, and who connects when they cannot.
///
/// Pure: each method is an event, and returns what to do. libzmq looks after a single endpoint by itself. Of several, the client
/// tries one at a time, and first asks the worker there which store it has.
struct Connection {
    private enum State {
        /// The endpoint is tried; why the last handshake failed, if one did.
        case connecting(HandshakeFailure?)
        /// The worker is reached, and asked by this HELLO who it is: nothing else leaves.
        case greeting(RequestID)
        /// Requests leave, in the order of the queue, to the worker of this store; nil where nobody asked.
        case established(SendQueue, store: String?)
        /// The handshake failed in a way that libzmq takes for final: it tries no more.
        case abandoned(HandshakeFailure)
        /// The client was closed.
        case closed
    }

    /// What to do once the handshake succeeded.
    enum Beginning: Hashable {
        /// Nothing any more.
        case nothing
        /// Ask the worker who it is, by a HELLO of this id.
        case greet(RequestID)
        /// Send everything that waits.
        case sendEverything
    }

    /// What to do about a handshake that failed.
    enum FailureStep: Hashable {
        /// Nothing: libzmq tries again, or another endpoint is tried.
        case wait
        /// Connect again after a pause.
        case reconnectLater
        /// End every request: no endpoint lets the client's key in.
        case endRequests
    }

    private var state = State.connecting(nil)
    private var turns: EndpointTurns
    /// The endpoints that refused the client's key since one let it in.
    private var refusals: Set<Int> = []

    /// A connection to one of so many endpoints, with these pauses between rounds of all of them.
    init(endpoints: Int = 1, pauses: Backoff = Backoff(from: .milliseconds(100), upTo: .seconds(10))) {
        turns = EndpointTurns(count: endpoints, pauses: pauses)
    }

    /// Which endpoint it is.
    var place: Int { turns.place }

    /// How long the endpoint may take until its worker has said who it is, where there are others.
    var attemptLasts: Duration { turns.attemptLasts }

    /// Whether another endpoint can take this one's place.
    var hasOthers: Bool { turns.count > 1 }

    /// Whether requests can leave.
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

    /// Why the client and its worker, which was reached, do not speak; nil where they do, or where it was not reached.
    var handshakeFailure: HandshakeFailure? {
        switch state {
        case .connecting(let failure): failure
        case .abandoned(let failure): failure
        case .greeting, .established, .closed: nil
        }
    }

    /// Where a request has been once it is handed to the connection.
    var reach: Reach {
        switch state {
        case .established(_, let store): .store(store)
        case .connecting, .greeting, .abandoned, .closed: .nowhere
        }
    }

    /// Whether a request that has been there may be sent on this connection.
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

    /// Whether this is the id of the HELLO that is on its way.
    func isGreeting(_ id: RequestID) -> Bool {
        if case .greeting(let hello) = state { hello == id } else { false }
    }

    /// The worker has said who it is.
    mutating func greeted(_ welcome: Welcome) {
        guard case .greeting(let hello) = state else { return }
        var queue = SendQueue()
        // It told its limit along with that.
        _ = queue.heard(.welcome(welcome), for: hello)
        state = .established(queue, store: welcome.store)
    }

    /// The worker has answered a request: it is worth coming back to, which one that only greets is not.
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

    /// The connection was lost, or did not come about.
    ///
    /// - Returns: Whether requests were under way on it.
    mutating func disconnected() -> Bool {
        let wasEstablished = isEstablished
        switch state {
        case .established, .greeting: state = .connecting(nil)
        case .connecting, .abandoned, .closed: break
        }
        return wasEstablished
    }

    /// The endpoint could not be reached, was lost, or has nobody who answers: another one's turn has come.
    ///
    /// - Returns: After how long; nil where there is no other.
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

    /// Something happened to what leaves.
    ///
    /// - Returns: What `event` returns; ``SendQueue/Step/wait`` where nothing can leave.
    mutating func queue(_ event: (inout SendQueue) -> SendQueue.Step) -> SendQueue.Step {
        guard case .established(var queue, let store) = state else { return .wait }
        // The queue has one owner while it changes, or it would be copied.
        state = .connecting(nil)
        defer { state = .established(queue, store: store) }
        return event(&queue)
    }
}
