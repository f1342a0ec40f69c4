/// A message that a ROUTER received, with the connection it came on.
public struct RoutedMessage: Equatable, Sendable {
    /// Where an answer goes.
    public let peer: PeerID

    /// What the peer sent.
    public let message: Message

    /// Puts the two together.
    ///
    /// - Parameters:
    ///   - peer: Where an answer goes.
    ///   - message: What the peer sent.
    public init(peer: PeerID, message: Message) {
        self.peer = peer
        self.message = message
    }
}
