import ForgeBusProtocol
import HeapModule

/// Selects the names of one page of a list: the smallest names after the cursor.
///
/// The names may come in any number and in any order. Only the names of the page and one more are kept, so only the
/// items of the page need to be built.
struct PageKeys {
    private let cursor: String?
    private let limit: Int
    private var smallest: Heap<Name> = []

    /// Selects the first `limit` names after `cursor`; without a cursor, the first names of the list.
    init(after cursor: String?, atMost limit: Int) {
        self.cursor = cursor
        self.limit = max(0, limit)
    }

    /// Offers a name of the list.
    mutating func offer(_ name: Name) {
        if smallest.count > limit, let last = smallest.max, last <= name { return }
        if let cursor, name.text <= cursor { return }
        smallest.insert(name)
        if smallest.count > limit + 1 { smallest.removeMax() }
    }

    /// The names of the page in order, and the cursor of the next page; the cursor is nil if this page is the last.
    var page: (names: [Name], cursor: String?) {
        let names = smallest.unordered.sorted().prefix(limit)
        return (Array(names), smallest.count > limit ? names.last?.text : nil)
    }
}
