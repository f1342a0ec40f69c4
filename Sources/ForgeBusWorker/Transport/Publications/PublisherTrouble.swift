import ZeroMQ

/// Why a worker is not connected to a publisher whose key it knows.
enum PublisherTrouble: Equatable {
    /// The publisher does not let the worker's key in.
    case keyRefused
    /// The publisher could not check the worker's key; the number is the status of ZeroMQ's authentication.
    case unchecked(status: Int)
    /// The other side uses no keys, or is no publisher; the number is libzmq's.
    case otherProtocol(number: Int)
    /// The connection ended during the handshake: a publisher with another key, or one that stopped or is slow.
    case ended

    init(_ failure: HandshakeFailure) {
        switch failure {
        case .refused(status: 400): self = .keyRefused
        case .refused(let status): self = .unchecked(status: status)
        case .protocolError(let number): self = .otherProtocol(number: number)
        case .ended: self = .ended
        }
    }

    /// Whether libzmq connects again by itself after such a failure.
    var isRetriedByLibzmq: Bool { self == .ended }
}
