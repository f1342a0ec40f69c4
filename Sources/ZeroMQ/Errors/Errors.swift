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

    /// The error for a timeout.
    static func deadline(_ sentence: String) -> ZeroMQError {
        ZeroMQError(.deadline, "\(sentence).", next: "Allow more time, or check the program at the other end.")
    }

    static var peerFull: ZeroMQError {
        ZeroMQError(
            .peerFull,
            "The peer's queue and outbox are full: the peer reads more slowly than messages are sent to it.",
            next: "Send the message again later, or stop sending to this peer."
        )
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

    static func waitCancelled(for topic: TopicPrefix) -> ZeroMQError {
        let sentence = "The task that waited for subscriptions to \"\(topic)\" was cancelled."
        return ZeroMQError(.cancelled, sentence, next: "Wait again in another task.")
    }
}

// MARK: Endpoints

extension Errors {
    static func notConnected(to endpoint: Endpoint) -> ZeroMQError {
        ZeroMQError(
            .notFound,
            "\(endpoint) could not be disconnected: the socket is not connected to this endpoint.",
            next: "Use the endpoint that was passed to `connect`."
        )
    }

    static func notBound(to endpoint: Endpoint) -> ZeroMQError {
        ZeroMQError(
            .notFound,
            "\(endpoint) could not be unbound: the socket is not bound to this endpoint.",
            next: "Use the endpoint that `bind` returned."
        )
    }

    static func wildcard(_ endpoint: Endpoint) -> ZeroMQError {
        ZeroMQError(
            .invalidEndpoint,
            "A connection to \(endpoint) cannot be opened: `*` stands for any address or port.",
            next:
                "Write the host and the port, such as tcp://bus.example:7717. Only an endpoint to listen at can have `*`."
        )
    }

    static func pairOutside(_ endpoint: Endpoint) -> ZeroMQError {
        ZeroMQError(
            .invalidEndpoint,
            "\(endpoint) cannot be used by a Pair: this kind of socket does not reconnect, so it may only use inproc.",
            next: "Use inproc://name, or a Dealer."
        )
    }

    static func notLocal(_ endpoint: Endpoint) -> ZeroMQError {
        ZeroMQError(
            .insecure,
            "\(endpoint) cannot be bound without encryption: it is not an ipc endpoint or a loopback IP address, "
                + "so other machines might reach it.",
            next: "Bind with a `CurveServer`, or bind 127.0.0.1, [::1] or an ipc path."
        )
    }

    static func otherFile(at path: String) -> ZeroMQError {
        ZeroMQError(
            .addressInUse,
            "ipc://\(path) cannot be bound: a file or directory that is not a socket has this path.",
            next: "Choose another path, or move the existing file or directory."
        )
    }
}
