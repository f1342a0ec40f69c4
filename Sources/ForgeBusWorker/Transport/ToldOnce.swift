import ZeroMQ

/// Remembers which elements were reported, so that a peer that connects again and again does not fill a log or a queue.
///
/// The memory is bounded: when it is full, nothing new is reported.
struct ToldOnce<Element: Hashable> {
    private var told: Set<Element> = []
    private let capacity: Int

    /// Creates an empty memory for at most `capacity` elements.
    init(atMost capacity: Int) { self.capacity = capacity }

    /// Whether the element must be reported now: it is new, and the memory has room for it.
    mutating func isFirst(_ element: Element) -> Bool { told.count < capacity && told.insert(element).inserted }

    /// Forgets all elements, so that they are reported again.
    mutating func forgetAll() { told.removeAll() }
}

/// The keys and addresses that a worker has reported; it reports each once until the policy changes.
struct ToldPeers {
    /// Keys that the worker did not let connect.
    var refusedKeys = ToldOnce<PublicKey>(atMost: 1_000)
    /// Addresses with too many connections.
    var crowds = ToldOnce<AddressBlock>(atMost: 1_000)
    /// Unknown keys that sent messages.
    var unknownKeys = ToldOnce<PublicKey>(atMost: 1_000)
    /// Keys of senders that still use the worker's previous key.
    var outdatedKeys = ToldOnce<PublicKey>(atMost: 1_000)
}
