import HummingbirdCore
import HummingbirdTLS
import NIOCore

extension HTTPServerBuilder {
    /// HTTP/1.1, over TLS if there is a certificate.
    static func http1(
        _ certificate: ServerCertificate?,
        idleTime: Duration,
        _ connections: Connections
    ) -> HTTPServerBuilder {
        let channel = HTTP1Channel.Configuration(
            idleTimeout: TimeAmount(idleTime),
            httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: 16 * 1024,
                maxHeaderListSize: 32 * 1024,
                maxHeaderFieldCount: 100
            )
        )
        return HTTPServerBuilder { [connections] responder in
            let http = HTTP1Channel(responder: responder, configuration: channel)
            guard let certificate else { return GatewayChannel(base: http, connections: connections, isPlain: true) }
            let tls = try TLSChannel(http, tlsConfiguration: certificate.configuration)
            return GatewayChannel(base: tls, connections: connections, isPlain: false)
        }
    }
}
