package import ForgeBusStore

/// The error of a worker that could not start, had to stop, or cannot carry out a call.
public struct WorkerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a worker's error; more kinds may be added later.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, such as `open_door`.
        public let rawValue: String

        /// Creates the code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A pipeline, a monitor, the access or the configuration cannot work as defined.
        public static let definition = Code(rawValue: "definition")
        /// The worker does not start, because processes of other machines could connect without a key.
        public static let openDoor = Code(rawValue: "open_door")
        /// An endpoint could not be bound.
        public static let endpoint = Code(rawValue: "endpoint")
        /// The store failed; only committed changes were acknowledged.
        public static let store = Code(rawValue: "store")
        /// Another process uses the store, or the store cannot be opened or created at its path.
        public static let storeUnavailable = Code(rawValue: "store_unavailable")
        /// The server of the store cannot be reached now.
        public static let storeUnreachable = Code(rawValue: "store_unreachable")
        /// The store is damaged, was written by a newer program, or is not a store of a worker.
        public static let storeUnsound = Code(rawValue: "store_unsound")
        /// Another process has taken the worker over, or may have done so, because this process could not renew its lease.
        public static let superseded = Code(rawValue: "superseded")
        /// The worker waits until another process no longer holds its store, and answers nothing meanwhile.
        public static let standby = Code(rawValue: "standby")
        /// The worker cannot carry out the call at all, or cannot carry it out in its current state.
        ///
        /// For instance, ``BusWorker/run()`` was called a second time.
        public static let usage = Code(rawValue: "usage")
    }

    /// The kind of error.
    public var code: Code
    /// The cause, in whole sentences; usually one.
    public var message: String
    /// What to do next, in whole sentences; usually one.
    public var next: String

    /// Creates an error with its code, its cause and what to do next.
    public init(_ code: Code, _ message: String, next: String) {
        self.code = code
        self.message = message
        self.next = next
    }

    /// The error of a call after the worker has stopped.
    static let hasStopped = WorkerError(
        .usage,
        "The worker has stopped.",
        next: "Start the worker again; in Swift, make a new BusWorker."
    )

    /// Converts an error of the store.
    package init(_ error: StoreError) {
        let code: Code =
            switch error.code {
            case .unavailable: .storeUnavailable
            case .unreachable: .storeUnreachable
            case .unsound: .storeUnsound
            case .superseded: .superseded
            default: .store
            }
        self.init(code, error.message, next: error.next)
    }

    /// The cause, then what to do next.
    public var description: String { "\(message) \(next)" }
}
