import Logging
import ZeroMQ

// The words about handshakes that failed.

extension HandshakeFailure {
    /// The cause of the failure, in words, without a full stop.
    var cause: String {
        switch self {
        case .refused(status: 400):
            "the worker does not know this program's public key (status 400 of ZeroMQ's authentication)"
        case .refused(let status):
            "the other side could not check the key (status \(status) of ZeroMQ's authentication)"
        case .protocolError(let number):
            "the keys or the encryption of the two sides do not match, or the other side does not speak ZeroMQ "
                + "(libzmq's protocol error 0x\(String(number, radix: 16)))"
        case .ended(let reason): "the connection ended during the handshake: \(reason)"
        }
    }

    /// What to do about the failure, for the log of the process that connects.
    var advice: String {
        switch self {
        case .refused(status: 400):
            "Add the public key of this process to the worker's access file, and send SIGHUP to the worker. The next "
                + "request then connects again."
        case .refused: "Look at the log of the worker, or of the proxy that listens at the endpoint."
        case .protocolError, .ended:
            "Check that a worker listens at the endpoint. If the worker has keys, connect with keys, and check the "
                + "worker's public key that this process uses; such a worker also accepts only a limited number of new "
                + "connections in a minute. If the worker has no keys, connect without keys."
        }
    }
}

extension Errors {
    static let handshakeFailed: Logger.Message = "the handshake with the worker failed"

    /// How a publisher meets the workers.
    enum PublisherSide {
        case connecting
        case bound
        case boundWithKeys
    }

    /// What to do about a publisher's handshake that failed.
    static func advice(ofPublisher failure: HandshakeFailure, _ side: PublisherSide) -> String {
        switch (side, failure) {
        case (.connecting, .refused(status: 400)):
            "Add the public key of this process to the worker's access file, send SIGHUP to the worker, then "
                + "make a new publisher: this publisher does not try again."
        case (.connecting, _): failure.advice
        case (.bound, _):
            "Find out which program is at the other end of the connection: it must be a worker, and it must "
                + "not use keys, because this publisher has none."
        case (.boundWithKeys, _):
            "Find out which program is at the other end of the connection: it must be a worker with keys, and its "
                + "file must name this publisher's public key."
        }
    }
}
