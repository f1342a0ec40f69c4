/// Where a socket is bound or connected: `tcp://host:port`, `ipc://path` or `inproc://name`, checked when it is made.
///
/// Other transports of libzmq are refused, because the versions that are around have open bugs in them.
///
/// | form | meaning |
/// |---|---|
/// | `tcp://127.0.0.1:5555`, `tcp://[::1]:5555` | one address |
/// | `tcp://eth0:5555`, `tcp://*:5555` | for binding: one interface, all of them |
/// | `tcp://127.0.0.1:*` | for binding: a free port; `bind` returns the real one |
/// | `tcp://worker.example:5555` | for connecting: a name, resolved at each attempt |
/// | `ipc:///run/app/bus` | a socket file; its directory decides who may connect |
/// | `inproc://name` | within one ``Reactor`` |
public struct Endpoint: Hashable, Sendable {
    /// The endpoint as it was written.
    public let text: String

    let transport: Transport

    /// What the text was understood as.
    enum Transport: Hashable, Sendable {
        case tcp(host: Host, port: UInt16?)
        case ipc(path: String)
        case inproc(name: String)
    }

    /// The host part of a TCP endpoint.
    enum Host: Hashable, Sendable {
        /// Every interface; only for binding.
        case wildcard
        case ipv4(isLoopback: Bool)
        case ipv6(isLoopback: Bool)
        /// A name or an interface; it may lead anywhere, so it never counts as loopback.
        case name
    }

    /// Reads an endpoint.
    ///
    /// - Parameter string: The endpoint in one of the forms of the table above.
    /// - Throws: ``ZeroMQError`` with code `invalid_endpoint`, saying what is wrong with it and what would do.
    public init(_ string: String) throws(ZeroMQError) {
        text = string
        transport = try EndpointSyntax(string).transport()
    }

    /// Whether this is TCP on a loopback literal: 127.0.0.0/8 or `[::1]`.
    ///
    /// A name such as `localhost` is not, because what it means is decided elsewhere.
    public var isLoopback: Bool {
        switch transport {
        case .tcp(.ipv4(let isLoopback), _), .tcp(.ipv6(let isLoopback), _): isLoopback
        case .tcp(.wildcard, _), .tcp(.name, _), .ipc, .inproc: false
        }
    }

    /// Whether nobody on another machine can reach it: loopback, ipc or inproc.
    public var isLocal: Bool {
        switch transport {
        case .tcp: isLoopback
        case .ipc, .inproc: true
        }
    }

    /// Whether the operating system fills in a part of it, so that it can be bound but not connected to.
    public var isWildcard: Bool {
        switch transport {
        case .tcp(.wildcard, _), .tcp(_, nil): true
        case .tcp, .ipc, .inproc: false
        }
    }

    /// Whether it lies within one reactor.
    var isInproc: Bool {
        if case .inproc = transport { true } else { false }
    }

    /// Whether the socket must be told that it is IPv6.
    var needsIPv6: Bool {
        if case .tcp(.ipv6, _) = transport { true } else { false }
    }
}

extension Endpoint: CustomStringConvertible {
    /// The endpoint as it was written.
    public var description: String { text }
}
