import ForgeBusProtocol

/// Numbers a publisher's messages on each topic, so that a receiver sees which are missing.
///
/// Pure. When a publisher has used so many topics that their numbers would take too much room, it begins a new epoch:
/// receivers make up for what may be lost, as after a restart. Numbers never begin again within an epoch, or a new message
/// would look like an old one.
struct PublicationNumbers {
    /// The epoch; another one each time the numbers begin again.
    private(set) var epoch: UInt64
    private var last: [Name: UInt64] = [:]
    private let capacity: Int

    /// Numbers from 1 for each topic, in `epoch` and those after it.
    ///
    /// The epoch is drawn by chance: time does not tell two publishers apart that begin in one moment.
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
