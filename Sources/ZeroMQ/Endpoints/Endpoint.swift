/// Where a socket is bound or connected: `tcp://host:port`, `ipc://path` or `inproc://name`, checked when it is made.
///
/// libzmq's other transports are refused, because its current versions have open bugs in them.
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

    /// The parsed form of the text.
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
    /// - Throws: ``ZeroMQError`` with code `invalid_endpoint`, saying what is wrong and which form to use.
    public init(_ string: String) throws(ZeroMQError) {
        text = string
        transport = try EndpointSyntax(string).transport()
    }

    /// Whether this is TCP on a loopback literal: 127.0.0.0/8 or `[::1]`.
    ///
    /// A name such as `localhost` does not count, because the system's resolver decides what it means.
    public var isLoopback: Bool {
        switch transport {
        case .tcp(.ipv4(let isLoopback), _), .tcp(.ipv6(let isLoopback), _): isLoopback
        case .tcp(.wildcard, _), .tcp(.name, _), .ipc, .inproc: false
        }
    }

    /// Whether only this machine can reach it: loopback, ipc or inproc.
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

    /// Whether it is an inproc endpoint, which works within one reactor only.
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
