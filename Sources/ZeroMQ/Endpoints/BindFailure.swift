import CZeroMQ

extension ZeroMQError {
    /// The error for an endpoint that is already in use.
    static func inUse(_ endpoint: String) -> ZeroMQError {
        ZeroMQError(
            .addressInUse,
            "\(endpoint) is in use: another socket is bound to it.",
            next: "Stop the program that uses it, or bind another endpoint; for TCP, port * chooses a free port."
        )
    }

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

    /// The error for a libzmq error number from a call that binds, connects, unbinds or disconnects an endpoint.
    ///
    /// - Parameters:
    ///   - number: The error number, read on the thread that made the call, immediately after the call.
    ///   - action: The failed action as the end of a sentence, such as "could not be bound".
    ///   - endpoint: The endpoint of the call.
    /// - Returns: The error; failures that a caller may want to handle have a code of their own.
    static func failure(_ number: Int32, _ action: String, _ endpoint: Endpoint) -> ZeroMQError {
        let sentence = "\(endpoint) \(action)"
        switch number {
        case EADDRINUSE:
            return inUse(endpoint.text)
        case EADDRNOTAVAIL, ENODEV:
            return ZeroMQError(
                .addressNotAvailable,
                "\(sentence): no interface of this machine has that address or name.",
                next: "Use the address or the name of an interface of this machine, or * for all interfaces."
            )
        case EACCES, EPERM:
            return ZeroMQError(
                .permissionDenied,
                "\(sentence): the operating system does not allow it.",
                next: "For tcp, use a port above 1023; for ipc, use a directory that this user may write to."
            )
        case EMFILE, ENFILE:
            return tooManyDescriptors(sentence)
        case EINVAL, EPROTONOSUPPORT, ENOCOMPATPROTO, ENAMETOOLONG:
            return ZeroMQError(
                .invalidEndpoint,
                "\(sentence): \(text(number)).",
                next: "Use tcp://HOST:PORT or a shorter ipc:///PATH, and a kind of socket that supports this transport."
            )
        case ENOENT:
            return missing(sentence, endpoint)
        case czmq_error_terminated, ENOTSOCK:
            return closed("The socket for \(endpoint)")
        default:
            return ZeroMQError(
                .system,
                "\(sentence): \(text(number)).",
                next:
                    "Remove this cause, or use another endpoint; the manuals of zmq_bind and zmq_connect explain causes."
            )
        }
    }

    /// The error for a process that has no descriptors left, or for a context that has no sockets left.
    static func tooManyDescriptors(_ sentence: String) -> ZeroMQError {
        ZeroMQError(
            .tooManyDescriptors,
            "\(sentence): no file descriptor or socket is left.",
            next: "Raise the limit of open files of the process (`ulimit -n`). In a Swift program that opens very many "
                + "sockets, also raise `ReactorOptions.maximumSockets`."
        )
    }

    /// libzmq's description of an error number.
    static func text(_ number: Int32) -> String {
        String(cString: zmq_strerror(number))
    }

    private static func missing(_ sentence: String, _ endpoint: Endpoint) -> ZeroMQError {
        if case .ipc(let path) = endpoint.transport {
            return ZeroMQError(
                .notFound,
                "\(sentence): the directory of \(path) does not exist.",
                next: "Create the directory with mode 0700, or check the endpoint."
            )
        }
        return ZeroMQError(
            .notFound,
            "\(sentence): the socket is not bound or connected to this endpoint.",
            next: "Use the endpoint that `bind` returned or that was passed to `connect`."
        )
    }
}
