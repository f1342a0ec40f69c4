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
            return [Errors.replicatedFile]
        }
        var flaws: [ConfigurationError] = []
        if Self.hasPassword(url) { flaws.append(Errors.passwordInURL) }
        if !isNamed {
            flaws.append(Errors.unnamedWorker)
        } else if name.contains(".") || name.utf8.count > 32 {
            flaws.append(Errors.nameNotForDatabase(name))
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
