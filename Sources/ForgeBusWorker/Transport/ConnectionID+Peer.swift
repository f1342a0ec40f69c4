import ZeroMQ

/// Numbers connections over the socket by the 32 bits of the ids it assigns; others have greater numbers.
extension ConnectionID {
    /// The connection of a peer; nil for one that chose its own id, which anybody else may choose as well.
    init?(_ peer: PeerID) {
        guard let assigned = peer.assignedNumber else { return nil }
        number = UInt64(assigned)
    }

    /// The peer at its other end; nil without a socket.
    var peer: PeerID? { UInt32(exactly: number).map { PeerID(assignedNumber: $0) } }
}
