/// A table of bounded size that forgets its oldest keys.
///
/// The table has two generations. When the young generation is full, it becomes the old one, and the former old one is
/// dropped. So the table knows at least the latest ``generation`` keys and at most twice that number, with at most two
/// look-ups for each use.
struct RecentTable<Key: Hashable, Value> {
    /// How many of the latest keys the table knows at least.
    let generation: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// Creates a table that knows at least the latest `generation` keys.
    init(generation: Int) { self.generation = generation }

    /// How many keys are known; at most twice the generation.
    var count: Int { young.count + old.count }

    /// The value under a key; nil if it is unknown or forgotten.
    subscript(key: Key) -> Value? { young[key] ?? old[key] }

    /// Stores a value under a key, which then counts as a latest key.
    mutating func remember(_ value: Value, under key: Key) {
        young[key] = value
        old[key] = nil
        guard young.count >= generation else { return }
        old = young
        young = [:]
    }
}
