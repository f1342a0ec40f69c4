/// An error that keeps a gateway from serving.
public struct GatewayError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cause, in one sentence.
    public let message: String
    /// The next move, in one sentence.
    public let next: String

    /// Both sentences.
    public var description: String { "\(message) \(next)" }

    static func cannotListen(at configuration: GatewayConfiguration, because cause: String) -> GatewayError {
        GatewayError(
            message: "The gateway cannot listen at \(configuration.host):\(configuration.port): \(cause).",
            next:
                "Choose an address of this machine, and a port that this user may open and that no other program uses: "
                + "with --http, or in Swift with `host` and `port` of the gateway's configuration."
        )
    }
}
