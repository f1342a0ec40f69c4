/// One thing the worker holds is to be shown.
public struct ShowRequest: Hashable, Sendable {
    /// What it is.
    public var kind: ItemKind
    /// What it is called.
    public var name: Name

    /// The `kind` called `name`.
    public init(_ kind: ItemKind, _ name: Name) {
        self.kind = kind
        self.name = name
    }

    /// The subject as it travels: `run/feed-7`.
    var subject: String { "\(kind.rawValue)/\(name)" }
}

/// What SHOW can show.
public enum ItemKind: String, CaseIterable, Hashable, Sendable {
    /// A run that is kept.
    case run
    /// A signal or gate that waits, or whose decision is kept.
    case signal
    /// A monitor.
    case monitor
    /// A pipeline.
    case pipeline
    /// What happened to a run, signal or monitor, as far as the journal goes back.
    case history
}
