// The errors about endpoints.

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

    static func unencryptedKind(_ endpoint: Endpoint) -> ZeroMQError {
        ZeroMQError(
            .insecure,
            "\(endpoint) cannot be encrypted: a Stream socket speaks plain TCP.",
            next: "Use it without keys at an endpoint of this machine, or use a Router."
        )
    }

    /// libzmq 4.3 closes the connection of a REQ that is the CURVE server when its first answer comes.
    static func encryptedReq(_ endpoint: Endpoint) -> ZeroMQError {
        ZeroMQError(
            .invalidEndpoint,
            "\(endpoint) cannot be bound with keys by a Req: libzmq ends its connections at their first answer.",
            next: "Let the Rep bind and the Req connect, or use a Dealer."
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

// MARK: The syntax of an endpoint

extension Errors {
    static func badCharacter(in endpoint: String) -> ZeroMQError {
        invalid(
            endpoint,
            "contains a space or a control character",
            next: "Remove that character."
        )
    }

    static func unknownTransport(of endpoint: String) -> ZeroMQError {
        invalid(
            endpoint,
            "does not begin with a known transport",
            next: "Write tcp://host:port or ipc:///path (or, within one Swift program, inproc://name)."
        )
    }

    static func noPort(in endpoint: String) -> ZeroMQError {
        invalid(
            endpoint,
            "has no port",
            next: "Write tcp://host:port; to listen at a free port, write * as the port."
        )
    }

    static func badPort(_ port: Substring, in endpoint: String) -> ZeroMQError {
        invalid(
            endpoint,
            "has the port \"\(port)\", which is not valid",
            next: "Write a number from 1 to 65535; to listen at a free port, write *."
        )
    }

    static func badHost(_ host: Substring, in endpoint: String) -> ZeroMQError {
        invalid(
            endpoint,
            "has the host \"\(host)\", which is not valid",
            next: "Write a name, an IPv4 address, or an IPv6 address in brackets."
        )
    }

    static func notIPv4(_ address: Substring, in endpoint: String) -> ZeroMQError {
        invalid(
            endpoint,
            "has the address \"\(address)\", which is not an IPv4 address",
            next: "Write four numbers from 0 to 255 with dots between them."
        )
    }

    static func notIPv6(_ address: Substring, in endpoint: String) -> ZeroMQError {
        invalid(
            endpoint,
            "has the address \"[\(address)]\", which is not an IPv6 address",
            next: "Write an IPv6 address in brackets, such as [::1]."
        )
    }

    static func abstractSocket(in endpoint: String) -> ZeroMQError {
        invalid(
            endpoint,
            "names an abstract socket, which every user of the machine can connect to",
            next: "Use a path in a directory of mode 0700."
        )
    }

    static func wildcardPath(in endpoint: String) -> ZeroMQError {
        invalid(
            endpoint,
            "has * as its path, which is not supported",
            next: "Use a path in a directory of mode 0700."
        )
    }

    static func noPath(in endpoint: String) -> ZeroMQError {
        invalid(
            endpoint,
            "has no path",
            next: "Write ipc:///path/to/socket."
        )
    }

    static func longPath(in endpoint: String, sizeInBytes: Int, limit: Int) -> ZeroMQError {
        invalid(
            endpoint,
            "has a path of \(sizeInBytes) bytes, which is too long",
            next: "Use a path of at most \(limit) bytes."
        )
    }

    static func badName(in endpoint: String, sizeInBytes: Int) -> ZeroMQError {
        invalid(
            endpoint,
            "has a name of \(sizeInBytes) bytes, which is not valid",
            next: "Use a name of 1 to 256 bytes. With inproc, a program reaches only itself; to reach another program, "
                + "write tcp://host:port or ipc:///path."
        )
    }

    private static func invalid(_ endpoint: String, _ fault: String, next: String) -> ZeroMQError {
        ZeroMQError(.invalidEndpoint, "The endpoint \(endpoint.debugDescription) \(fault).", next: next)
    }
}
