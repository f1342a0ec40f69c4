import ForgeBusProtocol
import ZeroMQ

/// Which strangers were told that they are wrong here: each connection once.
struct ForeignTraffic {
    private var told: Set<PeerID> = []
    private let capacity = 10_000

    /// Whether this connection is to be told; beyond 10,000 strangers nobody is told any more, only counted.
    mutating func isFirst(of peer: PeerID) -> Bool {
        told.count < capacity && told.insert(peer).inserted
    }
}

extension BusError {
    /// What is wrong with a message that is none of the bus; nil for one that is.
    init?(foreign message: Message) {
        guard message.count > 0,
            let error = BusError.foreign(
                frameCount: message.count,
                first: message[0],
                second: message.count > 1 ? message[1] : nil
            )
        else { return nil }
        self = error
    }
}

extension Frames {
    /// Whether the first frame does not begin as every message of the bus does.
    var isForeign: Bool { BusError.foreign(frameCount: Frames.count, first: command, second: id) != nil }
}
