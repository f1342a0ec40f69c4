#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An error that keeps a gateway from serving.
public struct GatewayError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cause, in one sentence.
    public let message: String
    /// The next move, in one sentence.
    public let next: String

    /// Both sentences.
    public var description: String { "\(message) \(next)" }

    /// The error for a failed call of the system; `number` is its `errno`.
    static func cannotListen(at configuration: GatewayConfiguration, number: CInt) -> GatewayError {
        let advice =
            switch number {
            case EADDRINUSE: "Another program uses this port: stop that program, or choose another port"
            case EACCES, EPERM:
                (1...1023).contains(configuration.port)
                    ? "The gateway's user may not open this port: choose a port above 1023"
                    : "The system does not let the gateway's user open this port: choose another port"
            case EADDRNOTAVAIL, EINVAL: "Choose an address of this machine"
            default: "Remove this cause, or choose another address or another port"
            }
        let cause = number == EINVAL ? "the system does not accept this address" : String(cString: strerror(number))
        return cannotListen(at: configuration, because: cause, advice)
    }

    /// `advice` is the next move, as a sentence without its full stop.
    static func cannotListen(
        at configuration: GatewayConfiguration,
        because cause: String,
        _ advice: String
    ) -> GatewayError {
        GatewayError(
            message: "The gateway cannot listen at \(configuration.address(port: configuration.port)): \(cause).",
            next: "\(advice) (`--http`, or in Swift `host` and `port` of the gateway's configuration)."
        )
    }
}

extension GatewayConfiguration {
    /// The host and a port, as in a URL: an IPv6 address is in brackets.
    func address(port: Int) -> String {
        "\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host):\(port)"
    }
}
