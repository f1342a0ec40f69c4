import CZeroMQ

// The errors that the operating system or libzmq reports.

extension Errors {
    /// The error for an endpoint that is already in use.
    static func inUse(_ endpoint: String) -> ZeroMQError {
        ZeroMQError(
            .addressInUse,
            "\(endpoint) is in use: another socket is bound to it.",
            next: endpoint.hasPrefix("inproc://")
                ? "Close that socket, or bind another endpoint."
                : "Stop the program that uses \(endpoint), or listen at another endpoint"
                    + (endpoint.hasPrefix("tcp://") ? "; port * chooses a free port." : ".")
        )
    }

    /// The error for a libzmq error number from a call that binds, connects, unbinds or disconnects an endpoint.
    ///
    /// - Parameters:
    ///   - number: The error number, read on the thread that made the call, immediately after the call.
    ///   - sentence: The failed action as a sentence without a full stop, such as "tcp://*:7717 could not be bound".
    ///   - endpoint: The endpoint of the call.
    /// - Returns: The error; failures that a caller may want to handle have a code of their own.
    static func failure(_ number: Int32, _ sentence: String, _ endpoint: Endpoint) -> ZeroMQError {
        switch number {
        case EADDRINUSE:
            guard case .ipc(let path) = endpoint.transport else { return inUse(endpoint.text) }
            // No program answered at this path before the bind, and libzmq could not remove the socket file.
            return ZeroMQError(
                .addressInUse,
                "\(endpoint) is in use: this program cannot remove the socket file that exists there.",
                next: "Stop the program that listens there; if there is none, remove the file \"\(path)\". Or listen "
                    + "at another endpoint."
            )
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
                next: adviceAboutPermission(endpoint)
            )
        case EMFILE, ENFILE:
            return tooManyDescriptors(sentence, number)
        case EINVAL, EPROTONOSUPPORT, ENOCOMPATPROTO, ENAMETOOLONG:
            return ZeroMQError(
                .invalidEndpoint,
                "\(sentence): \(causeOfInvalid(number)).",
                next: adviceAboutInvalid(number, endpoint)
            )
        case ENOENT:
            return missing(sentence, endpoint)
        case czmq_error_terminated, ENOTSOCK:
            return closed("The socket for \(endpoint)")
        case ENOTDIR:
            return ZeroMQError(
                .notFound,
                "\(sentence): \(endpoint.fileInPlaceOfDirectory ?? "a part of its path") is a file and not a directory.",
                next: "Use a path in a directory that exists, or move this file away."
            )
        case EROFS:
            return ZeroMQError(
                .system,
                "\(sentence): its directory is on a read-only file system.",
                next: "Use a path in a directory that can be written; in a container, mount a volume there."
            )
        default:
            return ZeroMQError(
                .system,
                "\(sentence): \(text(number)).",
                next: "Remove the cause that this message names, or use another endpoint."
            )
        }
    }

    /// The error for a process that has no descriptors left, or for a context that has no sockets left.
    static func tooManyDescriptors(_ sentence: String, _ number: Int32 = EMFILE) -> ZeroMQError {
        ZeroMQError(
            .tooManyDescriptors,
            "\(sentence): no file descriptor or socket is left.",
            next: number == ENFILE
                ? "Stop programs of this machine that have many files open, or raise the machine's limit of open files."
                : "Raise this program's limit of open files (`ulimit -n`), and start it again. In a Swift program that "
                    + "opens very many sockets, also raise `ReactorOptions.maximumSockets`."
        )
    }

    /// The error for a failed call on a file; `number` is the `errno` of the call.
    static func file(_ number: Int32, _ sentence: String) -> ZeroMQError {
        let message = "\(sentence): \(text(number))."
        switch number {
        case ENOENT, ENOTDIR:
            let advice =
                sentence.hasSuffix("cannot be created") && number == ENOENT
                ? "Create the directory of the file first, or check the path." : "Check the path of the file."
            return ZeroMQError(.notFound, message, next: advice)
        case EEXIST:
            return ZeroMQError(.addressInUse, message, next: "Choose another name, or move the existing file.")
        case EACCES, EPERM, ELOOP:
            let advice =
                number == ELOOP
                ? "Correct the symbolic links in this path, or use another path."
                : "Run the program as a user who may access this path, or use another path."
            return ZeroMQError(.permissionDenied, message, next: advice)
        default:
            let advice =
                number == EISDIR
                ? "Name a file in this directory." : "Remove the cause that this message names, or use another path."
            return ZeroMQError(.system, message, next: advice)
        }
    }

    private static func adviceAboutPermission(_ endpoint: Endpoint) -> String {
        switch endpoint.transport {
        case .tcp(_, let port?) where port < 1024:
            "Use a port above 1023, or let the operating system allow this user to use the port."
        case .tcp: "Let the operating system allow this program to use the port, or use another port."
        case .ipc: "Use a path in a directory in which this user has the permission to create files."
        case .inproc: "Use another endpoint."
        }
    }

    private static func causeOfInvalid(_ number: Int32) -> String {
        switch number {
        case ENAMETOOLONG: "the path is too long"
        case EINVAL: "the endpoint is not valid on this machine"
        default: text(number)
        }
    }

    private static func adviceAboutInvalid(_ number: Int32, _ endpoint: Endpoint) -> String {
        switch endpoint.transport {
        case _ where number == EPROTONOSUPPORT || number == ENOCOMPATPROTO:
            "Use another transport, or another kind of socket."
        case .tcp where endpoint.text.contains("%"):
            "Check the host and the port, and that this machine has the interface whose name is after the %."
        case .tcp where endpoint.text.lowercased().hasPrefix("tcp://[fe80"):
            "Write the name of the interface after the address, as in tcp://[fe80::1%eth0]:7717, and check the port."
        case .tcp: "Correct the host or the port of this endpoint."
        // 103 bytes are the limit of macOS.
        case .ipc where number == ENAMETOOLONG: "Use a path of at most 103 bytes."
        case .ipc: "Use another path."
        case .inproc: "Use another name."
        }
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
