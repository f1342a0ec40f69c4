/// A dictionary of very many entries whose keys are strings, or hold some.
///
/// A `Dictionary` retains and compares each key that it meets on its way to the one it looks for, and hashes all of them
/// anew when it grows. Among a hundred thousand entries each of these strings is a miss of the processor's cache. Here the
/// way leads over numbers, the keys' hashes, which lie side by side. Keys of the same hash are rare, and kept apart.
struct DigestTable<Key: Hashable, Value>: Sequence, ExpressibleByDictionaryLiteral {
    typealias Element = (key: Key, value: Value)

    /// By the key's hash.
    private var slots: [Int: Element] = [:]
    /// Those whose hash was taken by another key when they came.
    private var others: [Key: Value] = [:]

    init() {}

    init(dictionaryLiteral elements: (Key, Value)...) {
        for (key, value) in elements { self[key] = value }
    }

    var count: Int { slots.count + others.count }
    var isEmpty: Bool { count == 0 }

    /// The value under a key; nil removes it.
    subscript(key: Key) -> Value? {
        get {
            if let slot = slots[key.hashValue], slot.key == key { return slot.value }
            return others.isEmpty ? nil : others[key]
        }
        set {
            guard let newValue else { return _ = removeValue(forKey: key) }
            let hash = key.hashValue
            if let place = slots.index(forKey: hash) {
                guard slots.values[place].key == key else { return others[key] = newValue }
                slots.values[place].value = newValue
            } else if others.isEmpty || others[key] == nil {
                slots[hash] = (key, newValue)
            } else {
                others[key] = newValue
            }
        }
    }

    /// Removes a key.
    ///
    /// - Returns: What was under it.
    @discardableResult mutating func removeValue(forKey key: Key) -> Value? {
        if let place = slots.index(forKey: key.hashValue), slots[place].value.key == key {
            return slots.remove(at: place).value.value
        }
        return others.isEmpty ? nil : others.removeValue(forKey: key)
    }

    /// All entries, in no order.
    func makeIterator() -> Iterator { Iterator(slots: slots.values.makeIterator(), others: others.makeIterator()) }

    struct Iterator: IteratorProtocol {
        fileprivate var slots: Dictionary<Int, Element>.Values.Iterator
        fileprivate var others: Dictionary<Key, Value>.Iterator

        mutating func next() -> Element? { slots.next() ?? others.next() }
    }
}
