public import class Foundation.ProcessInfo

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Where a worker keeps what must survive it when nobody says otherwise.
///
/// `NAME.sqlite`, by the worker's name, in the first of these directories that the environment names:
/// `$STATE_DIRECTORY`, which systemd makes for a service; `$XDG_STATE_HOME/forgebus`; `$HOME/.local/state/forgebus`.
/// Where it names none: `/tmp/forgebus-UID`, which a restart of the machine may empty.
public enum DefaultStore {
    /// The file of the worker called `name` in a process with this environment.
    public static func path(
        of name: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String {
        "\(directory(environment))/\(name).sqlite"
    }

    /// Makes the file's directory, or finds it as it must be.
    ///
    /// - Throws: ``ConfigurationError`` with code `directory` if it cannot be made, is not a directory, belongs to
    ///   somebody else, or lets others in.
    public static func prepare(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationError) {
        let path = directory(environment)
        // What it stands in may be missing in a home that is new; whom that lets in is its owner's to say.
        var parent = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        var missing: [String] = []
        while !parent.isEmpty, access(String(parent), F_OK) != 0 {
            missing.append(String(parent))
            parent = parent[..<(parent.lastIndex(of: "/") ?? parent.startIndex)]
        }
        for directory in missing.reversed() { mkdir(directory, 0o700) }
        try PrivateDirectory.make(path, or: "say with --store where else to keep it")
    }

    private static func directory(_ environment: [String: String]) -> String {
        // Of several directories of a service, the first is its own.
        if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first, state.hasPrefix("/") {
            return String(state)
        }
        // A relative one is to be ignored, says the XDG base directory specification.
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/forgebus" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return "/tmp/forgebus-\(geteuid())" }
        return "\(home)/.local/state/forgebus"
    }
}
