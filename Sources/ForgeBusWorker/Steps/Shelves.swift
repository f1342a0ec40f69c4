/// A collection of elements that never move in memory: each element keeps its index until it is removed.
struct Shelves<Element>: Sequence {
    /// The number of elements in one full shelf; a shelf is an array.
    ///
    /// The number is small for two reasons: a small table then takes little memory, and a shelf is small enough that the
    /// allocator does not map pages of memory for it alone.
    private static var elementsPerShelf: Int { 512 }

    /// The elements; nil marks a free place.
    private var shelves: [ContiguousArray<Element?>] = []
    private var free: [Int] = []

    /// The element at a place that ``add(_:)`` gave.
    subscript(place: Int) -> Element {
        get {
            guard let element = shelves[place / Self.elementsPerShelf][place % Self.elementsPerShelf] else {
                fatalError("Internal error: there is no element at the index \(place).")
            }
            return element
        }
        set { shelves[place / Self.elementsPerShelf][place % Self.elementsPerShelf] = newValue }
    }

    /// Adds an element.
    ///
    /// - Returns: The element's place, which is its index until it is removed.
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

    /// Removes and returns an element; another element may then get its place.
    mutating func remove(at place: Int) -> Element {
        defer { free.append(place) }
        guard let element = exchange(&shelves[place / Self.elementsPerShelf][place % Self.elementsPerShelf], with: nil)
        else { fatalError("Internal error: there is no element at the index \(place).") }
        return element
    }

    /// All elements, in the order of their places.
    func makeIterator() -> Iterator { Iterator(elements: shelves.joined().makeIterator()) }

    struct Iterator: IteratorProtocol {
        fileprivate var elements: FlattenSequence<[ContiguousArray<Element?>]>.Iterator

        mutating func next() -> Element? {
            while let element = elements.next() {
                if let element { return element }
            }
            return nil
        }
    }
}
