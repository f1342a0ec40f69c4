/// The address that a socket binds or connects to: `tcp://host:port`, `ipc://path` or `inproc://name`.
///
/// The form is checked when the value is made. libzmq's other transports are refused, because they have unfixed bugs.
///
/// | form | meaning |
/// |---|---|
/// | `tcp://127.0.0.1:5555`, `tcp://[::1]:5555` | one address |
/// | `tcp://eth0:5555`, `tcp://*:5555` | for binding: one interface, all interfaces |
/// | `tcp://127.0.0.1:*` | for binding: a free port; `bind` returns the real one |
/// | `tcp://worker.example:5555` | for connecting: a host name, resolved at each attempt |
/// | `ipc:///run/app/bus` | a socket file; the permissions of its directory decide who may connect |
/// | `inproc://name` | within one ``Reactor`` |
public struct Endpoint: Hashable, Sendable {
    /// The endpoint as it was written.
    public let text: String

    let transport: Transport

    /// The parsed form of the text; a TCP port of nil means `*`.
    enum Transport: Hashable, Sendable {
        case tcp(host: Host, port: UInt16?)
        case ipc(path: String)
        case inproc(name: String)
    }

    /// The host part of a TCP endpoint.
    enum Host: Hashable, Sendable {
        /// All interfaces; only for binding.
        case wildcard
        case ipv4(isLoopback: Bool)
        case ipv6(isLoopback: Bool)
        /// The name of a host or an interface. A name may mean any address, so it never counts as loopback.
        case name
    }

    /// Makes an endpoint from its text.
    ///
    /// - Parameter string: The endpoint in one of the forms in the table of ``Endpoint``.
    /// - Throws: ``ZeroMQError`` with code `invalid_endpoint`, which describes the mistake and the right form.
    public init(_ string: String) throws(ZeroMQError) {
        text = string
        transport = try EndpointSyntax(string).transport()
    }

    /// Whether the endpoint is a TCP endpoint with a loopback address: 127.0.0.0/8 or `[::1]`.
    ///
    /// False for a name such as `localhost`, because the system's resolver decides which address the name means.
    public var isLoopback: Bool {
        switch transport {
        case .tcp(.ipv4(let isLoopback), _), .tcp(.ipv6(let isLoopback), _): isLoopback
        case .tcp(.wildcard, _), .tcp(.name, _), .ipc, .inproc: false
        }
    }

    /// Whether only programs on this machine can reach the endpoint: loopback, ipc or inproc.
    public var isLocal: Bool {
        switch transport {
        case .tcp: isLoopback
        case .ipc, .inproc: true
        }
    }

    /// Whether the endpoint has a `*` as its host or port, so that it can be bound but not connected to.
    public var isWildcard: Bool {
        switch transport {
        case .tcp(.wildcard, _), .tcp(_, nil): true
        case .tcp, .ipc, .inproc: false
        }
    }

    /// Whether the endpoint is inproc, which works only within one reactor.
    var isInproc: Bool {
        if case .inproc = transport { true } else { false }
    }

    /// Whether the socket needs its IPv6 option for this endpoint.
    var needsIPv6: Bool {
        if case .tcp(.ipv6, _) = transport { true } else { false }
    }
}

extension Endpoint: CustomStringConvertible {
    /// The endpoint as it was written.
    public var description: String { text }
}
