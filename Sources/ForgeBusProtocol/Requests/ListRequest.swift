/// A page of what the worker holds is asked for.
public struct ListRequest: Hashable, Sendable {
    /// What is listed.
    public var kind: ListKind
    /// The most items of the page, 1 to 500.
    public var limit: Int
    /// Where the last page ended; nil begins.
    public var cursor: String?

    /// A page of `kind`.
    public init(kind: ListKind, limit: Int = 100, cursor: String? = nil) {
        self.kind = kind
        self.limit = limit
        self.cursor = cursor
    }
}

/// What LIST can list.
public enum ListKind: String, CaseIterable, Hashable, Sendable {
    /// Runs that are kept: unfinished ones and those whose answer is still retained.
    case runs
    /// Signals and gates that wait.
    case signals
    /// Monitors with their topics and state.
    case monitors
    /// Pipelines with their seeds.
    case pipelines
}
