/// An error that keeps a gateway from serving.
public struct GatewayError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cause, in one sentence.
    public let message: String
    /// The next move, in one sentence.
    public let next: String

    /// Both sentences.
    public var description: String { "\(message) \(next)" }
}

extension GatewayConfiguration {
    /// The host and a port, as in a URL: an IPv6 address is in brackets.
    func address(port: Int) -> String {
        "\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host):\(port)"
    }
}
