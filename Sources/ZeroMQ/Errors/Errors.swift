import CZeroMQ

/// The words of this module: its errors, made by functions.
enum Errors {
    /// libzmq's description of an error number.
    static func text(_ number: Int32) -> String {
        String(cString: zmq_strerror(number))
    }
}

// MARK: Sockets

extension Errors {
    /// The error for a socket that is closed or belongs to another reactor.
    static func closed(_ what: String) -> ZeroMQError {
        ZeroMQError(
            .closed,
            "\(what) is closed, or belongs to another reactor.",
            next: "Open a new socket, or call the reactor that opened this one."
        )
    }

    /// The error for a reactor that is shut down.
    static let reactorClosed = ZeroMQError(.closed, "The reactor is shut down.", next: "Make a new reactor.")

    /// A text that is not a topic; with the separator at its end, it has this size.
    static func notTopic(_ text: String, sizeInBytes size: Int, limit: Int) -> ZeroMQError {
        let shown = size > limit ? "\(text.prefix(80))…" : text
        let flaw =
            if size <= 1 {
                "there is no text before the separator \".\""
            } else if size <= limit {
                "it has a control character"
            } else {
                "with the separator at its end, it has \(size) bytes"
            }
        return ZeroMQError(
            .invalidTopic,
            "\(shown.debugDescription) is not a topic: \(flaw).",
            next: "Use a text of 1 to \(limit - 1) bytes without control characters, but not only \".\"."
        )
    }

    static let peerUnreachable = ZeroMQError(
        .peerUnreachable,
        "The peer is no longer connected to this socket.",
        next: "Wait for a message from the peer after it has reconnected; the peer then has another PeerID."
    )

    /// The error for a message that no wait helps to send.
    static func unsent(_ message: Message, _ outcome: SendOutcome) -> ZeroMQError {
        guard outcome == .refused else { return closed("The socket") }
        guard message.count > 0 else {
            return ZeroMQError(
                .invalidMessage,
                "A message without frames cannot be sent.",
                next: "Append at least one frame."
            )
        }
        return ZeroMQError(
            .state,
            "It is not this socket's turn to send: a Req waits for its answer, and a Rep for a question.",
            next: "Receive first. A Dealer and a Router have no turns."
        )
    }

    /// The error for a timeout.
    static func deadline(_ sentence: String) -> ZeroMQError {
        ZeroMQError(.deadline, "\(sentence).", next: "Allow more time, or check the program at the other end.")
    }

    /// A socket that could not be opened; `number` is libzmq's number of the error.
    static func socket(_ number: Int32) -> ZeroMQError {
        ZeroMQError(
            .system,
            "A socket could not be opened: \(text(number)).",
            next: "Look up the reason in the manual of zmq_socket."
        )
    }

    /// A thread that could not be started; `number` is the system's number of the error.
    static func thread(_ number: Int32) -> ZeroMQError {
        ZeroMQError(
            .system,
            "The thread that serves the sockets (the reactor's thread) could not be started: "
                + "\(text(number)).",
            next: "Raise the limit of threads for the user of this program (`ulimit -u`, or "
                + "a limit of its container). A Swift program can also use fewer reactors."
        )
    }

    static func reactorOption(_ name: String, _ value: Int) -> ZeroMQError {
        ZeroMQError(
            .invalidOption,
            "The reactor option \(name) cannot be \(value).",
            next: "Use a number from 1 to \(Int32.max)."
        )
    }

    static func busyPolling(_ time: Duration) -> ZeroMQError {
        ZeroMQError(
            .invalidOption,
            "The reactor option busyPolling cannot be \(time).",
            next: "Use a time of zero or more."
        )
    }

    static func socketOption(_ name: String, _ value: some Any, allowed: String) -> ZeroMQError {
        ZeroMQError(
            .invalidOption,
            "The socket option \(name) cannot be \(value).",
            next: "Use \(allowed)."
        )
    }

    static func otherSecurity(_ endpoint: Endpoint, _ new: String, current: String) -> ZeroMQError {
        ZeroMQError(
            .invalidOption,
            "\(endpoint) would use \(new), but the socket is configured for \(current).",
            next: "Open another socket for this endpoint."
        )
    }

    static let waitCancelled = ZeroMQError(
        .cancelled,
        "The task was cancelled while it waited for the socket.",
        next: "Wait again in another task."
    )
}
