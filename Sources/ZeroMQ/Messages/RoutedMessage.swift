/// A message that a ROUTER received, with the peer that sent the message.
public struct RoutedMessage: Equatable, Sendable {
    /// The peer that sent the message; send an answer to this id.
    public let peer: PeerID

    /// The message that the peer sent.
    public let message: Message

    /// Makes a message with its peer.
    ///
    /// - Parameters:
    ///   - peer: The peer that sent the message.
    ///   - message: The message that the peer sent.
    public init(peer: PeerID, message: Message) {
        self.peer = peer
        self.message = message
    }
}
