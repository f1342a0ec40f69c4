import ForgeBusProtocol

/// Numbers a publisher's messages on each topic, so that a receiver notices missing ones.
///
/// Pure: it has no side effects. If the publisher uses more topics than `capacity`, it cannot remember the numbers of
/// all topics, so it begins a new epoch with number 1. Each receiver then acts as if messages were lost, as after a
/// restart of the publisher. Within an epoch the numbers of a topic never begin again, because a receiver would take a
/// new message for an old one.
struct PublicationNumbers {
    /// The current epoch, which changes when the numbers begin again.
    private(set) var epoch: UInt64
    private var last: [Name: UInt64] = [:]
    private let capacity: Int

    /// Begins with number 1 on each topic, in `epoch`.
    ///
    /// The epoch is random by default, because an epoch made from the time could be the same for two publishers that
    /// start at the same moment.
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
