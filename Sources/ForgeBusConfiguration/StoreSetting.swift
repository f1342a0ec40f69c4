/// Where a worker stores its state.
public enum StoreSetting: Hashable, Sendable {
    /// In memory: the state is lost when the worker ends.
    case memory
    /// In a file with this path.
    case file(String)
    /// In a PostgreSQL database with this URL, so that another machine can take the worker over.
    case postgreSQL(String)

    /// Parses `text`: the word `memory`, a URL that begins with `postgres://` or `postgresql://`, or the path of a file,
    /// relative to `directory` if it is not absolute.
    public init(_ text: String, in directory: String) {
        if text == "memory" {
            self = .memory
        } else if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            self = .postgreSQL(text)
        } else {
            self = .file(text.hasPrefix("/") ? text : "\(directory)/\(text)")
        }
    }

    /// The problems of a worker that has this store.
    ///
    /// - Parameters:
    ///   - name: The worker's name.
    ///   - isNamed: Whether somebody has chosen the name; otherwise it is the default.
    ///   - limits: What the worker wants of its store.
    /// - Returns: An error for each problem.
    package func flaws(of name: String, isNamed: Bool, _ limits: StoreLimits) -> [ConfigurationError] {
        guard case .postgreSQL(let url) = self else {
            guard limits.isReplicated else { return [] }
            return [
                ConfigurationError(
                    .badValue,
                    "Only a store in a PostgreSQL database can be `replicated`.",
                    next: "Remove `replicated` from the section `worker` of the worker file, or name a database as the "
                        + "store, such as postgres://db.example/forgebus."
                )
            ]
        }
        var flaws: [ConfigurationError] = []
        if Self.hasPassword(url) {
            flaws.append(
                ConfigurationError(
                    .badValue,
                    "The URL of the store must not contain a password, because a URL easily gets into logs and into "
                        + "lists of processes.",
                    next: "Put the password into the file ~/.pgpass of the user that runs the worker. Or put it into "
                        + "another file of this format, and name that file in the URL: ?passfile=PATH."
                )
            )
        }
        if !isNamed {
            flaws.append(
                ConfigurationError(
                    .missingKey,
                    "A worker whose store is a database needs a name: all processes with the same name and database "
                        + "are one worker, and only one of them works at a time.",
                    next: "Give the worker a name: as `worker.name` in the worker file, or with --name of "
                        + "`forgebus worker`."
                )
            )
        } else if name.contains(".") || name.utf8.count > 32 {
            flaws.append(
                ConfigurationError(
                    .badValue,
                    "The name \"\(name)\" is not possible for a worker whose store is a database.",
                    next: "Use a name without dots, of at most 32 bytes: the ids of the worker's runs begin with the "
                        + "name."
                )
            )
        }
        return flaws
    }

    private static func hasPassword(_ url: String) -> Bool {
        let rest = url.drop { $0 != "/" }.dropFirst(2)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let user = authority.lastIndex(of: "@").map { authority[..<$0] } ?? ""
        return user.contains(":") || rest.contains("?password=") || rest.contains("&password=")
    }
}
