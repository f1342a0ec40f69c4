public import ForgeBusProtocol

/// Remembers what a worker must not forget.
///
/// The worker keeps its books in memory; a store keeps the records from which they are rebuilt after a restart.
/// Every effect of a decision, a reply, a started action, a resumed waiter, waits until the changes of that decision are
/// committed. A store knows entries, not sockets.
public protocol BusStore: Sendable {
    /// What a committed change survives.
    var durability: Durability { get }

    /// Takes hold of what is kept, and gives all of it, in no particular order.
    ///
    /// Asked once, before the first commit. From then on nobody else has the store, until it is closed.
    ///
    /// - Throws: ``StoreError`` when somebody else has it, or what is kept cannot be read or is not sound.
    func load() async throws(StoreError) -> [StoreRecord]

    /// Commits `changes` together or not at all, and says so.
    ///
    /// - Parameters:
    ///   - changes: Never empty; the later of two changes of one key counts.
    ///   - completion: Called once, on any thread, also before this returns; in the order of the calls to `commit`.
    func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreError?) -> Void)

    /// What the journal says of whatever has this name, run, signal or monitor: the latest `limit` entries, oldest first.
    ///
    /// What was committed before the call is in it.
    ///
    /// - Throws: ``StoreError`` when the journal cannot be read.
    func history(of name: Name, limit: Int) async throws(StoreError) -> [JournalEntry]

    /// Does what an operator asks, and says what came of it.
    ///
    /// - Throws: ``StoreError`` when it cannot be done here, or went wrong.
    func perform(_ task: StoreTask) async throws(StoreError) -> JSONObject

    /// From now on `observer` is told, on any thread, when room runs short and when there is enough again.
    ///
    /// A store that never runs short tells nothing.
    func observeRoom(_ observer: @escaping @Sendable (StoreRoom) -> Void)

    /// Lets go of what is kept, after the commits that were asked for; nothing may be asked any more.
    func close() async
}

/// One change of what is kept.
public enum StoreChange: Hashable, Sendable {
    /// The record is kept under its key, in place of what was there.
    case put(StoreRecord)
    /// Nothing is kept under the key any more. Removing what is not there is no error.
    case remove(StoreKey)
    /// The entry joins the journal.
    case append(JournalEntry)
}

/// What an operator can ask of a store.
public enum StoreTask: Hashable, Sendable {
    /// Read everything, and say whether it is sound.
    case verify
    /// Say how much there is of what.
    case stats
    /// Copy everything as it is when the copy is done to a file that is not there yet, in the store's own directory.
    case backup(name: Name)
}

/// Whether there is room for more.
public enum StoreRoom: Hashable, Sendable {
    /// There is enough.
    case ample
    /// There is only what finishes what has begun: nothing new may be taken.
    case short
}

/// A store could not do what it must.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which kind of error; open, because more may be told apart later.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name.
        public let rawValue: String

        /// A code by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The system could not read or write.
        public static let inputOutput = Code(rawValue: "io")
        /// Another process has the store, or it cannot be made where it is to be.
        public static let unavailable = Code(rawValue: "unavailable")
        /// What is kept is damaged, foreign or of a newer version.
        public static let unsound = Code(rawValue: "unsound")
        /// It was asked for what it cannot do.
        public static let usage = Code(rawValue: "usage")
    }

    /// Which kind of error.
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
