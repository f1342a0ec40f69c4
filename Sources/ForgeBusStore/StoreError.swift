/// The error of a store, with its code, its cause and the next step.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a store's error; later versions may add more kinds.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, such as `io`.
        public let rawValue: String

        /// Creates the code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The operating system could not read or write the store's files.
        public static let inputOutput = Code(rawValue: "io")
        /// Another process uses the store, or the store cannot be opened or created at its path.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The server of the store cannot be reached now.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The store is damaged, was written by a newer program, or is not a store of a worker.
        public static let unsound = Code(rawValue: "unsound")
        /// This store does not support the call, or does not support it in its current state.
        public static let usage = Code(rawValue: "usage")
        /// The wait for the store was given up, because the task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// Another process has taken the worker over, or may have done so, because this process could not renew its lease.
        public static let superseded = Code(rawValue: "superseded")
    }

    /// The case of an error, where one code has several.
    public enum Kind: Hashable, Sendable {
        /// The file is not a store of a worker.
        case foreign
        /// A newer program wrote the store, or a record of it.
        case newer
        /// A copy of another store is not finished.
        case unfinishedCopy
        /// A file of the store is missing.
        case missing
        /// Another store was put in the place of this one.
        case replaced
        /// The store lacks commits that were acknowledged.
        case lacksCommits
        /// The process with this id uses the store.
        case inUse(by: Int32)
        /// This is the first bad entry of the audit.
        case auditEntry(Int64)
        /// The server of the store refused a statement with this SQLSTATE.
        case refused(state: String)
    }

    /// The kind of error.
    public var code: Code
    /// The case of the code; nil for the other cases.
    public var kind: Kind?
    /// The cause, in whole sentences; usually one.
    public var message: String
    /// What to do next, in whole sentences; usually one.
    public var next: String

    /// Creates an error with its code, its cause and what to do next.
    public init(_ code: Code, _ message: String, next: String) { self.init(code, nil, message, next: next) }

    /// Creates an error with its code, the case of the code, its cause and what to do next.
    public init(_ code: Code, _ kind: Kind?, _ message: String, next: String) {
        (self.code, self.kind) = (code, kind)
        self.message = message
        self.next = next
    }

    /// The cause, then what to do next.
    public var description: String { "\(message) \(next)" }
}
