/// What was told of already, so that whoever comes again and again fills no log and no queue.
///
/// It keeps what it was asked of, so it is bounded: when it is full, nothing more is told, only counted.
struct ToldOnce<Element: Hashable> {
    private var told: Set<Element> = []
    private let capacity: Int

    /// Nothing was told of yet; at most `capacity` will be.
    init(atMost capacity: Int) { self.capacity = capacity }

    /// Whether this is to be told of now.
    mutating func isFirst(_ element: Element) -> Bool { told.count < capacity && told.insert(element).inserted }

    /// Everything is to be told of again.
    mutating func forgetAll() { told.removeAll() }
}
