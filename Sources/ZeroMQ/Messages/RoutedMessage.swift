/// A message that a ROUTER received, with the connection it came on.
public struct RoutedMessage: Equatable, Sendable {
    /// The receiver of an answer.
    public let peer: PeerID

    /// What the peer sent.
    public let message: Message

    /// Makes a message with its connection.
    ///
    /// - Parameters:
    ///   - peer: The receiver of an answer.
    ///   - message: What the peer sent.
    public init(peer: PeerID, message: Message) {
        self.peer = peer
        self.message = message
    }
}
