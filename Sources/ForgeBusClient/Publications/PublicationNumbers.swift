import ForgeBusProtocol

/// Numbers a publisher's messages on each topic, so that a receiver notices missing ones.
///
/// Pure: it has no side effects. The publisher remembers the last number of at most `capacity` topics. If it uses one
/// more topic, it forgets all numbers and begins a new *epoch*: each topic begins again with number 1. Each receiver
/// then acts as if messages were lost, as after a restart of the publisher. Within an epoch the numbers of a topic
/// never begin again, because a receiver would mistake a new message for an old one.
struct PublicationNumbers {
    /// The current epoch, which changes when the numbers begin again.
    private(set) var epoch: UInt64
    private var last: [Name: UInt64] = [:]
    private let capacity: Int

    /// Begins `epoch`, with number 1 on each topic; `capacity` is the largest number of topics in one epoch.
    ///
    /// The epoch is random by default, because an epoch made from the time could be the same for two publishers that
    /// start at the same moment.
    init(epoch: UInt64 = .random(in: .min ... .max), capacity: Int = 32_768) {
        self.epoch = epoch
        self.capacity = capacity
    }

    /// Returns the epoch and the number of the next message on `topic`.
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
