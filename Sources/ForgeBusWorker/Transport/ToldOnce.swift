/// Remembers what was reported, so that a peer that comes again and again fills no log and no queue.
///
/// Bounded: when it is full, it has nothing new reported.
struct ToldOnce<Element: Hashable> {
    private var told: Set<Element> = []
    private let capacity: Int

    /// Nothing was reported yet; at most `capacity` elements will be.
    init(atMost capacity: Int) { self.capacity = capacity }

    /// Whether this is new, and to be reported now.
    mutating func isFirst(_ element: Element) -> Bool { told.count < capacity && told.insert(element).inserted }

    /// Everything is reported again.
    mutating func forgetAll() { told.removeAll() }
}
