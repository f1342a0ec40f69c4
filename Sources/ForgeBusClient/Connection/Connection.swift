import ZeroMQ

/// The client's connection to its worker: whether requests can leave, and who connects when they cannot.
///
/// Pure: each method is an event, and returns what to do.
struct Connection {
    private enum State {
        /// libzmq connects, and tries again by itself; why the last handshake failed, if one did.
        case connecting(HandshakeFailure?)
        /// Requests leave, in the order of the queue.
        case established(SendQueue)
        /// The handshake failed in a way that libzmq takes for final: it tries no more.
        case abandoned(HandshakeFailure)
        /// The client was closed.
        case closed
    }

    /// What to do about a handshake that failed.
    enum FailureStep: Hashable {
        /// libzmq tries again.
        case wait
        /// Connect again after a pause.
        case reconnectLater
        /// End every request: the worker does not let the client's key in.
        case endRequests
    }

    private var state = State.connecting(nil)

    /// Whether requests can leave.
    var isEstablished: Bool {
        switch state {
        case .established: true
        case .connecting, .abandoned, .closed: false
        }
    }

    /// Whether the client was closed.
    var isClosed: Bool {
        switch state {
        case .closed: true
        case .connecting, .established, .abandoned: false
        }
    }

    /// Why the client and its worker, which was reached, do not speak; nil where they do, or where it was not reached.
    var handshakeFailure: HandshakeFailure? {
        switch state {
        case .connecting(let failure): failure
        case .abandoned(let failure): failure
        case .established, .closed: nil
        }
    }

    /// The handshake succeeded.
    ///
    /// - Returns: Whether to send everything that waits.
    mutating func handshakeSucceeded() -> Bool {
        if isClosed { return false }
        // Nothing is on its way on a new connection, and its worker may be another one.
        state = .established(SendQueue())
        return true
    }

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
            return .endRequests
        case .refused, .protocolError:
            state = .abandoned(failure)
            return .reconnectLater
        }
    }

    /// The connection was lost, or did not come about.
    ///
    /// - Returns: Whether requests were under way on it.
    mutating func disconnected() -> Bool {
        guard isEstablished else { return false }
        state = .connecting(nil)
        return true
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
        guard case .established(var queue) = state else { return .wait }
        // The queue has one owner while it changes, or it would be copied.
        state = .connecting(nil)
        defer { state = .established(queue) }
        return event(&queue)
    }
}
