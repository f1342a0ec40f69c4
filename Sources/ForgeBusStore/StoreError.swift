/// Why a store could not do something.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error; open, because there may be more kinds later.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name.
        public let rawValue: String

        /// A code by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The system could not read or write.
        public static let inputOutput = Code(rawValue: "io")
        /// Another process has the store, or the store cannot be created at its place.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The store is damaged, foreign or from a newer program.
        public static let unsound = Code(rawValue: "unsound")
        /// The call is not possible here, or not now.
        public static let usage = Code(rawValue: "usage")
    }

    /// The kind of error.
    public var code: Code
    /// The cause, one sentence.
    public var message: String
    /// What to do now, one sentence.
    public var next: String

    /// An error of a store.
    public init(_ code: Code, _ message: String, next: String) {
        self.code = code
        self.message = message
        self.next = next
    }

    /// The cause, then the next move.
    public var description: String { "\(message) \(next)" }
}
