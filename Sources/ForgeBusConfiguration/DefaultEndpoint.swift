public import class Foundation.ProcessInfo

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Where a worker listens and a client looks for it when nobody says otherwise.
///
/// `ipc://$XDG_RUNTIME_DIR/forgebus/worker.ipc`, or `ipc:///tmp/forgebus-UID/worker.ipc` where there is no such
/// directory. Who may connect is decided by the socket's directory, so it must be the user's own and closed to others.
public enum DefaultEndpoint {
    /// The endpoint in a process with this environment.
    public static func text(environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        "ipc://\(directory(environment))/worker.ipc"
    }

    /// Makes the endpoint's directory, or finds it as it must be.
    ///
    /// - Throws: ``ConfigurationError`` with code `directory` if it cannot be made, is not a directory, belongs to
    ///   somebody else, or lets others in.
    public static func prepare(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationError) {
        try PrivateDirectory.make(directory(environment), or: "listen elsewhere")
    }

    private static func directory(_ environment: [String: String]) -> String {
        // A relative one is to be ignored, says the XDG base directory specification.
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") { return "\(runtime)/forgebus" }
        return "/tmp/forgebus-\(geteuid())"
    }
}
