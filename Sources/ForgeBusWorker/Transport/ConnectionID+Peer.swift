import ZeroMQ

/// The number of a connection over the socket is the 32-bit number in its peer's id, which the socket assigns.
///
/// Connections without a socket have greater numbers.
extension ConnectionID {
    /// Creates the id of a peer's connection; nil for a peer that chose its own id, because another peer may choose the
    /// same.
    init?(_ peer: PeerID) {
        guard let assigned = peer.assignedNumber else { return nil }
        number = UInt64(assigned)
    }

    /// The peer at the other end of the connection; nil for a connection without a socket.
    var peer: PeerID? { UInt32(exactly: number).map { PeerID(assignedNumber: $0) } }
}
