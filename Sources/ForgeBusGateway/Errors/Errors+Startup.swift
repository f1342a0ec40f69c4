import ForgeBusProtocol

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The errors that keep a gateway from serving.
extension Errors {
    /// A call of the system failed; `number` is its `errno`.
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

    static func cannotLookUp(_ configuration: GatewayConfiguration) -> GatewayError {
        cannotListen(
            at: configuration,
            because: "no address is known for this host name",
            "Correct the host name, or choose an address of this machine"
        )
    }

    /// `advice` is the next move, as a sentence without its full stop.
    private static func cannotListen(
        at configuration: GatewayConfiguration,
        because cause: String,
        _ advice: String
    ) -> GatewayError {
        GatewayError(
            message: "The gateway cannot listen at \(configuration.address(port: configuration.port)): \(cause).",
            next: "\(advice) (`--http`, or in Swift `host` and `port` of the gateway's configuration)."
        )
    }

    static func foreignKey(_ files: CertificateFiles) -> GatewayError {
        GatewayError(
            message:
                "The key \(Printable.quoted(files.key)) does not belong to the certificate \(Printable.quoted(files.certificate)).",
            next:
                "Check that both files are the right ones: the certificate must have been issued for this key, and "
                + "must be the first one in its file."
        )
    }

    /// The file has other content than `expected`.
    static func wrongContent(_ path: String, _ expected: String) -> GatewayError {
        GatewayError(
            message: "The file \(Printable.quoted(path)) does not contain \(expected).",
            next: "Write \(expected) to this file, or name another file."
        )
    }

    /// The file cannot be read; `number` is the `errno` of the call that failed.
    static func unreadableFile(_ path: String, _ expected: String, number: CInt) -> GatewayError {
        let advice =
            switch number {
            case ENOENT, ENOTDIR: "Correct the path, or create the file."
            case EISDIR: "Name a file instead of this directory."
            case EACCES: "Let the gateway's user read the file and enter each directory of its path."
            case ELOOP: "A symbolic link in this path leads back to itself: correct the link."
            default: "Remove the cause that this message names, or name another file."
            }
        return GatewayError(
            message: "The file \(Printable.quoted(path)) cannot be read: \(String(cString: strerror(number))).",
            next: "\(advice) The file must contain \(expected)."
        )
    }
}
