public import ForgeBusProtocol

/// Remembers what a worker must not forget.
///
/// The worker keeps its books in memory; a store keeps the records from which they are rebuilt after a restart.
/// Every effect of a decision, a reply, a started action, a resumed waiter, waits until the changes of that decision are
/// committed. A store knows entries, not sockets.
public protocol BusStore: Sendable {
    /// What a committed change survives.
    var durability: Durability { get }

    /// Everything that is kept, in no particular order. Asked once, before the first commit.
    ///
    /// - Throws: ``StoreError`` when what is kept cannot be read.
    func load() async throws(StoreError) -> [StoreRecord]

    /// Commits `changes` together or not at all, and says so.
    ///
    /// - Parameters:
    ///   - changes: Never empty; the later of two changes of one key counts.
    ///   - completion: Called once, on any thread, also before this returns; in the order of the calls to `commit`.
    func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreError?) -> Void)
}

/// One change of what is kept.
public enum StoreChange: Hashable, Sendable {
    /// The record is kept under its key, in place of what was there.
    case put(StoreRecord)
    /// Nothing is kept under the key any more. Removing what is not there is no error.
    case remove(StoreKey)
}

/// A store could not do what it must.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cause, one sentence.
    public var message: String
    /// What to do now, one sentence.
    public var next: String

    /// An error of a store.
    public init(_ message: String, next: String) {
        self.message = message
        self.next = next
    }

    /// The cause, then the next move.
    public var description: String { "\(message) \(next)" }
}
