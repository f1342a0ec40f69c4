import ForgeBusProtocol
import HeapModule

/// Selects the names of one page of a short list: the first names after the cursor, in the order of `Name.precedes`.
///
/// The names may come in any number and in any order. Only the names of the page and one more are kept, so only the
/// items of the page need to be built.
struct PageKeys {
    private struct Key: Comparable {
        let name: Name
        static func < (a: Key, b: Key) -> Bool { a.name.precedes(b.name) }
    }

    private let cursor: Name?
    private let limit: Int
    private var smallest: Heap<Key> = []

    /// Selects the first `limit` names after `cursor`; without a cursor, the first names of the list.
    init(after cursor: Name?, atMost limit: Int) {
        self.cursor = cursor
        self.limit = max(0, limit)
    }

    /// Offers a name of the list.
    mutating func offer(_ name: Name) {
        let key = Key(name: name)
        if smallest.count > limit, let last = smallest.max, last <= key { return }
        if let cursor, !cursor.precedes(name) { return }
        smallest.insert(key)
        if smallest.count > limit + 1 { smallest.removeMax() }
    }

    /// The names of the page in order, and the cursor of the next page; the cursor is nil if this page is the last.
    var page: (names: [Name], cursor: String?) {
        let names = smallest.unordered.sorted().prefix(limit).map(\.name)
        return (names, smallest.count > limit ? names.last?.text : nil)
    }
}
