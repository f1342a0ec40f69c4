/// A dictionary of very many entries whose keys are strings, or hold some.
///
/// A `Dictionary` retains and compares each key that it meets on its way to the one it looks for. When it grows, it hashes
/// all of them anew and moves all entries, at once. Among a hundred thousand entries each of these strings is a miss of the
/// processor's cache, and growing takes memory anew for all. Here the way leads over numbers, the keys' hashes, which lie
/// side by side; entries stay where they are. Keys of the same hash are rare, and kept apart.
struct DigestTable<Key: Hashable, Value>: Sequence, ExpressibleByDictionaryLiteral {
    typealias Element = (key: Key, value: Value)

    /// Where the entry is, by the key's hash.
    private var places: [Int: Int] = [:]
    private var entries = Shelves<Element>()
    /// Those whose hash was taken by another key when they came.
    private var others: [Key: Value] = [:]

    init() {}

    init(dictionaryLiteral elements: (Key, Value)...) {
        for (key, value) in elements { self[key] = value }
    }

    var count: Int { places.count + others.count }
    var isEmpty: Bool { count == 0 }

    /// The value under a key; nil removes it.
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
    /// - Returns: What was under it.
    @discardableResult mutating func removeValue(forKey key: Key) -> Value? {
        if let index = places.index(forKey: key.hashValue), entries[places[index].value].key == key {
            return entries.remove(at: places.remove(at: index).value).value
        }
        return others.isEmpty ? nil : others.removeValue(forKey: key)
    }

    /// All entries, in no order.
    func makeIterator() -> Iterator {
        Iterator(places: places.values.makeIterator(), entries: entries, others: others.makeIterator())
    }

    struct Iterator: IteratorProtocol {
        fileprivate var places: Dictionary<Int, Int>.Values.Iterator
        fileprivate let entries: Shelves<Element>
        fileprivate var others: Dictionary<Key, Value>.Iterator

        mutating func next() -> Element? { places.next().map { entries[$0] } ?? others.next() }
    }
}

/// Elements that stay where they are, however many there are: each has a place until it is removed.
private struct Shelves<Element> {
    private static var elementsPerShelf: Int { 512 }

    /// A place that is nil is free.
    private var shelves: [ContiguousArray<Element?>] = []
    private var free: [Int] = []

    /// The element at a place that ``add(_:)`` gave.
    subscript(place: Int) -> Element {
        get {
            guard let element = shelves[place / Self.elementsPerShelf][place % Self.elementsPerShelf] else {
                fatalError("Nothing is at the place \(place).")
            }
            return element
        }
        set { shelves[place / Self.elementsPerShelf][place % Self.elementsPerShelf] = newValue }
    }

    /// Takes an element.
    ///
    /// - Returns: Its place.
    mutating func add(_ element: Element) -> Int {
        if let place = free.popLast() {
            self[place] = element
            return place
        }
        if shelves.last?.count ?? Self.elementsPerShelf == Self.elementsPerShelf {
            shelves.append([])
            shelves[shelves.count - 1].reserveCapacity(Self.elementsPerShelf)
        }
        shelves[shelves.count - 1].append(element)
        return (shelves.count - 1) * Self.elementsPerShelf + shelves[shelves.count - 1].count - 1
    }

    /// Gives an element back; its place is another's from now on.
    mutating func remove(at place: Int) -> Element {
        defer { free.append(place) }
        guard let element = exchange(&shelves[place / Self.elementsPerShelf][place % Self.elementsPerShelf], with: nil)
        else { fatalError("Nothing is at the place \(place).") }
        return element
    }
}
