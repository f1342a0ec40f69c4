public import ForgeBusProtocol

/// Where a gateway listens, and whom it serves.
public struct GatewayConfiguration: Sendable {
    /// The host name or address at which the gateway listens; `127.0.0.1` by default.
    public var host = "127.0.0.1"
    /// The port at which the gateway listens, 7780 by default; 0 lets the system choose.
    public var port = 7780
    /// The names by which users reach the gateway, beside `localhost`, the addresses of this machine's own loopback and
    /// ``host``.
    ///
    /// A request whose header `Host` has another name gets `unknown_host`.
    public var names: Set<String> = []
    /// The tokens that the gateway accepts; nil, the default, lets everybody in who reaches the port.
    public var tokens: [AccessToken]?
    /// A proxy that logs users in, beside the tokens; nil, the default, for none.
    public var proxy: TrustedProxy?
    /// The certificate and the key of the gateway; with nil, the default, the gateway does not speak TLS.
    public var certificate: CertificateFiles?
    /// The webhooks by their names, which are parts of their paths; none by default.
    public var webhooks: [String: Webhook] = [:]
    /// The principal for whom the gateway itself reads the monitors of a fleet; nil, the default, for workers without
    /// keys.
    ///
    /// The principal needs the right `read` on `monitor.>`, and the gateway's key `act_as` for it.
    public var fleetReader: Name?
    /// How long a request's header, or the next part of its body, may take to arrive; 30 s by default.
    ///
    /// A connection between two requests may be idle for as long.
    public var idleTime: Duration = .seconds(30)
    /// How long the whole body of a request may take to arrive; 60 s by default.
    public var bodyTime: Duration = .seconds(60)
    /// How long the answers may take to end at a graceful shutdown; 30 s by default.
    public var drainTime: Duration = .seconds(30)
    /// How often a stream without an event sends a comment, so that proxies keep the connection open; 15 s by default.
    public var keepAlive: Duration = .seconds(15)
    /// How many connections the gateway has at most; 4,096 by default, and fewer if the process may open fewer files.
    ///
    /// For a further connection, the gateway closes the one that has sent no whole request for the longest. If all have
    /// sent one, the gateway answers only `/livez` and `/readyz` on the new connection; a 64th of the connections, but at
    /// least one, is kept for that. At most 500 connections a second are closed for new ones.
    public var connections = 4096
    /// How many connections one address may have at most; 512 by default.
    ///
    /// For a further connection of the address, the gateway closes the one of its connections that has sent no whole
    /// request for the longest. IPv6 addresses with the same first 64 bits count as one. A connection of the trusted proxy
    /// counts, while it carries a request, for the address that the proxy reports.
    public var connectionsPerAddress = 512

    /// Makes a configuration with the defaults.
    public init() {}
}

extension GatewayConfiguration {
    /// The limits of the connections, as far as the process may open files.
    var limits: Connections.Book.Limits {
        let all = max(2, OpenFiles.connections(connections))
        return Connections.Book.Limits(
            all: all,
            reserve: max(1, all / 64),
            perAddress: max(1, connectionsPerAddress)
        )
    }
}
