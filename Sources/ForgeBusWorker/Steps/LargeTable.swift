/// A dictionary for very many entries whose keys are strings or contain strings.
///
/// A `Dictionary` retains and compares each key that it passes on the way to the right key. When it grows, it hashes
/// all keys again and moves all entries. With a hundred thousand entries, each of these keys is outside the
/// processor's cache. This table searches the hashes of the keys, which lie side by side in memory. When it grows, it
/// moves only two numbers for each entry. If two keys have equal hashes, which is rare, the table stores the second
/// key elsewhere. A removed entry leaves room for a new entry; the table never shrinks.
///
/// Measured with a million keys of two strings, in release, and compared with a `Dictionary`:
///
/// - The longest insertion, during which the table grows and the reactor stands still, takes 44 to 62 ms instead of 366
///   to 416 ms.
/// - An entry takes 107 bytes, without its strings, instead of 152.
/// - A look-up takes 1.1 to 1.2 µs instead of 0.4 µs.
struct LargeTable<Key: Hashable, Value>: Sequence {
    typealias Element = (key: Key, value: Value)

    /// The place of each entry, by the hash of its key.
    private var places: [Int: Int] = [:]
    private var entries = Shelves<Element>()
    /// Entries whose hash belonged to another key when they were added.
    private var others: [Key: Value] = [:]

    var count: Int { places.count + others.count }

    /// The value under a key, or nil; setting nil removes the key.
    subscript(key: Key) -> Value? {
        get {
            if let place = places[key.hashValue], entries[place].key == key { return entries[place].value }
            return others.isEmpty ? nil : others[key]
        }
        set {
            guard let newValue else { return _ = removeValue(forKey: key) }
            let hash = key.hashValue
            if let place = places[hash] {
                guard entries[place].key == key else { return others[key] = newValue }
                entries[place].value = newValue
            } else if others.isEmpty || others[key] == nil {
                places[hash] = entries.add((key, newValue))
            } else {
                others[key] = newValue
            }
        }
    }

    /// Removes a key.
    ///
    /// - Returns: The value that was under the key, or nil.
    @discardableResult mutating func removeValue(forKey key: Key) -> Value? {
        if let index = places.index(forKey: key.hashValue), entries[places[index].value].key == key {
            return entries.remove(at: places.remove(at: index).value).value
        }
        return others.isEmpty ? nil : others.removeValue(forKey: key)
    }

    /// All entries, in no particular order.
    func makeIterator() -> Iterator { Iterator(entries: entries.makeIterator(), others: others.makeIterator()) }

    struct Iterator: IteratorProtocol {
        fileprivate var entries: Shelves<Element>.Iterator
        fileprivate var others: Dictionary<Key, Value>.Iterator

        mutating func next() -> Element? { entries.next() ?? others.next() }
    }
}
