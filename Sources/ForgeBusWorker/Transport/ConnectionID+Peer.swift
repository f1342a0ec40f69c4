import ZeroMQ

/// How connections over the socket are numbered: by the 32 bits of the ids that it assigns. Others have greater numbers.
extension ConnectionID {
    /// The connection of a peer; nil for one that chose its own id, which anybody else may choose as well.
    init?(_ peer: PeerID) {
        guard let assigned = peer.assignedNumber else { return nil }
        number = UInt64(assigned)
    }

    /// The peer at its other end; nil where there is no socket.
    var peer: PeerID? { UInt32(exactly: number).map { PeerID(assignedNumber: $0) } }
}
