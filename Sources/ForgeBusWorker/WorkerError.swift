import ForgeBusStore

/// A worker could not start, or had to stop.
public struct WorkerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which kind of error; open, because more may be told apart later.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name.
        public let rawValue: String

        /// A code by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// What the worker is to host, or how it is to be reached, cannot work as it is defined.
        public static let definition = Code(rawValue: "definition")
        /// The worker would be open to strangers.
        public static let openDoor = Code(rawValue: "open_door")
        /// The endpoint could not be bound.
        public static let endpoint = Code(rawValue: "endpoint")
        /// The store failed: nothing that was not committed was acknowledged.
        public static let store = Code(rawValue: "store")
        /// Another process has the store, or it cannot be made where it is to be.
        public static let storeUnavailable = Code(rawValue: "store_unavailable")
        /// What the store keeps is damaged, foreign or of a newer version.
        public static let storeUnsound = Code(rawValue: "store_unsound")
        /// The worker was asked for what it cannot do as it was made or as it stands, such as to run a second time.
        public static let usage = Code(rawValue: "usage")
    }

    /// Which kind of error.
    public var code: Code
    /// The cause, one sentence.
    public var message: String
    /// What to do now, one sentence.
    public var next: String

    /// An error of a worker.
    public init(_ code: Code, _ message: String, next: String) {
        self.code = code
        self.message = message
        self.next = next
    }

    /// The store could not do what it must.
    init(_ error: StoreError) {
        let code: Code =
            switch error.code {
            case .unavailable: .storeUnavailable
            case .unsound: .storeUnsound
            default: .store
            }
        self.init(code, error.message, next: error.next)
    }

    /// The cause, then the next move.
    public var description: String { "\(message) \(next)" }
}
