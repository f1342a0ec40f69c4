public import class Foundation.ProcessInfo

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The file that a worker uses as its store if no store is configured.
///
/// The file is called `NAME.sqlite`, after the worker, and is in the first of these directories that the environment
/// names: `$STATE_DIRECTORY`, which systemd makes for a service; `$XDG_STATE_HOME/forgebus`;
/// `$HOME/.local/state/forgebus`. If the environment names none of them, the directory is `/tmp/forgebus-UID`, which a
/// restart of the machine may empty.
public enum DefaultStore {
    /// The path of the store's file, for a worker with this name in a process with this environment.
    public static func path(
        of name: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String {
        "\(directory(environment))/\(name).sqlite"
    }

    /// Creates the directory of the store's file, or checks an existing one.
    ///
    /// - Throws: ``ConfigurationError`` with code `directory` if the path cannot be created, is not a directory,
    ///   belongs to another user, or lets other users in.
    public static func prepare(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationError) {
        try prepare(environment: environment, for: "the worker's store")
    }

    /// Does the same; an error names the `content` for which the directory is needed.
    static func prepare(environment: [String: String], for content: String) throws(ConfigurationError) {
        let path = directory(environment)
        // The parent directories may be missing in a new home directory. The permissions of existing parent
        // directories are not checked.
        var parent = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        var missing: [String] = []
        while !parent.isEmpty, access(String(parent), F_OK) != 0 {
            missing.append(String(parent))
            parent = parent[..<(parent.lastIndex(of: "/") ?? parent.startIndex)]
        }
        for directory in missing.reversed() { mkdir(directory, 0o700) }
        try PrivateDirectory.make(path, for: content, or: "set STATE_DIRECTORY to another directory")
    }

    private static func directory(_ environment: [String: String]) -> String {
        // The variable may name several directories; the worker uses the first.
        if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first, state.hasPrefix("/") {
            return String(state)
        }
        // The XDG base directory specification says to ignore a relative path.
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/forgebus" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return "/tmp/forgebus-\(geteuid())" }
        return "\(home)/.local/state/forgebus"
    }
}
