/// A table of bounded size that forgets what was used least lately.
///
/// It holds two generations: what was used since the last turn, and what was before it and not since. Full, the younger
/// becomes the elder and what was the elder goes. So the ``generation`` latest keys are known, and twice as many at most,
/// at no more than two look-ups a use.
struct RecentTable<Key: Hashable, Value> {
    /// How many of the latest keys are known for certain.
    let generation: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// A table that knows at least the `generation` keys used last.
    init(generation: Int) { self.generation = generation }

    /// How many keys are known; at most twice the generation.
    var count: Int { young.count + old.count }

    /// What is known under a key; nil if nothing is, or no longer.
    subscript(key: Key) -> Value? { young[key] ?? old[key] }

    /// Remembers a value under a key, which is the latest one from now on.
    mutating func remember(_ value: Value, under key: Key) {
        young[key] = value
        old[key] = nil
        guard young.count >= generation else { return }
        old = young
        young = [:]
    }
}
