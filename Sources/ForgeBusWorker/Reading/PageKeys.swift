import ForgeBusProtocol
import HeapModule

/// Selects the names of a page: the smallest behind its cursor, out of any number in any order.
///
/// At most one name more than the page has is held, so that only the items of the page need to be built.
struct PageKeys {
    private let cursor: String?
    private let limit: Int
    private var smallest: Heap<Name> = []

    /// The first `limit` names behind `cursor`, or from the beginning.
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

    /// The names of the page in order, and the cursor of the next one; nil if this is the last.
    var page: (names: [Name], cursor: String?) {
        let names = smallest.unordered.sorted().prefix(limit)
        return (Array(names), smallest.count > limit ? names.last?.text : nil)
    }
}
