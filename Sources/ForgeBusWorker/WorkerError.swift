import ForgeBusStore

/// Why a worker could not start, or had to stop.
public struct WorkerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error; open, because there may be more kinds later.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name.
        public let rawValue: String

        /// A code by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A hosted pipeline or monitor, or the access, cannot work as defined.
        public static let definition = Code(rawValue: "definition")
        /// The worker would be open to strangers.
        public static let openDoor = Code(rawValue: "open_door")
        /// The endpoint could not be bound.
        public static let endpoint = Code(rawValue: "endpoint")
        /// The store failed: nothing that was not committed was acknowledged.
        public static let store = Code(rawValue: "store")
        /// Another process has the store, or the store cannot be created at its place.
        public static let storeUnavailable = Code(rawValue: "store_unavailable")
        /// The store's content is damaged, foreign or of a newer version.
        public static let storeUnsound = Code(rawValue: "store_unsound")
        /// The call is not possible for this worker, or not now, such as a second run.
        public static let usage = Code(rawValue: "usage")
    }

    /// The kind of error.
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

    /// An error of the store.
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
