import ForgeBusProtocol

/// Numbers a publisher's messages on each topic, so that a receiver sees which are missing.
///
/// Pure. When there are numbers for too many topics, the publisher forgets them and begins a new epoch. Receivers then
/// act as after a restart of the publisher. Numbers never restart within an epoch, because a new message would then
/// look like an old one.
struct PublicationNumbers {
    /// The epoch; it changes each time the numbers restart.
    private(set) var epoch: UInt64
    private var last: [Name: UInt64] = [:]
    private let capacity: Int

    /// Creates numbers that start at 1 for each topic.
    ///
    /// The first epoch is random. The time would be the same for two publishers that start at the same moment.
    init(epoch: UInt64 = .random(in: .min ... .max), capacity: Int = 32_768) {
        self.epoch = epoch
        self.capacity = capacity
    }

    /// The place of the next message on `topic`.
    mutating func next(on topic: Name) -> Publication.Origin {
        if last[topic] == nil, last.count == capacity {
            epoch &+= 1
            last = [:]
        }
        let number = (last[topic] ?? 0) + 1
        last[topic] = number
        return Publication.Origin(epoch: epoch, sequence: number)
    }
}
