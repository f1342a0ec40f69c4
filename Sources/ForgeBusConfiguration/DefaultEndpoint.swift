public import class Foundation.ProcessInfo

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The endpoint that a worker and its clients use if no endpoint is configured.
///
/// It is `ipc://$XDG_RUNTIME_DIR/forgebus/worker.ipc`, or `ipc:///tmp/forgebus-UID/worker.ipc` if that variable has no
/// absolute path. A user who can enter the socket's directory can connect. So the directory must belong to the worker's
/// user, and other users must not be able to enter it.
public enum DefaultEndpoint {
    /// The endpoint in a process with this environment.
    public static func text(environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        "ipc://\(directory(environment))/worker.ipc"
    }

    /// The file in which a gateway of this user keeps its token, beside the socket.
    public static func tokenFile(environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        "\(directory(environment))/http-token"
    }

    /// Creates the endpoint's directory, or checks an existing one.
    ///
    /// - Throws: ``ConfigurationError`` with code `directory` if the path cannot be created, is not a directory,
    ///   belongs to another user, or lets other users in.
    public static func prepare(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationError) {
        try PrivateDirectory.make(
            directory(environment),
            for: "the worker's socket and the gateway's token",
            or: "set XDG_RUNTIME_DIR to another directory for the worker and its clients"
        )
    }

    private static func directory(_ environment: [String: String]) -> String {
        // The XDG base directory specification says to ignore a relative path.
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") { return "\(runtime)/forgebus" }
        return "/tmp/forgebus-\(geteuid())"
    }
}
