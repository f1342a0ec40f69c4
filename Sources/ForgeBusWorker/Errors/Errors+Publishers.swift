// Publishers that a worker connects to.
extension Errors {
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
    }

    /// The error for a publisher without a key, of a worker with keys.
    static func publisherWithoutKey(_ publisher: String) -> WorkerError {
        WorkerError(
            .definition,
            "The worker has keys, so it must know the key of each publisher that it connects to; the publisher "
                + "\(publisher) has none here.",
            next: "Give the publisher's public key, and the principal of the access file that this key belongs to: in "
                + "the worker file {endpoint: \"\(publisher)\", principal: NAME, key: \"KEY\"}, in Swift "
                + "`KnownPublisher(at:as:key:)`."
        )
    }

    /// The error for a publisher with a key, of a worker without keys.
    static func keyedPublisher(_ publisher: String, of principal: String) -> WorkerError {
        WorkerError(
            .definition,
            "The publisher \(publisher) has a key, of the principal \"\(principal)\", but the worker itself has no "
                + "keys to connect with.",
            next: "Give the worker a certificate and an access file (--certificate and --access of `forgebus worker`), "
                + "or name only the endpoint of a publisher on this machine."
        )
    }

    /// The error for a publisher whose key is not one of its principal's; `owner` has the key, or nobody.
    static func publisherKeyOfAnother(_ principal: String, _ key: String, owner: String?) -> WorkerError {
        WorkerError(
            .definition,
            "The key \(key) of a publisher is not one of the keys of the principal \"\(principal)\" in the access "
                + "file\(owner.map { ", but of \"\($0)\"" } ?? "").",
            next: "Add the key to this principal in the access file, or correct the key or the principal of the "
                + "publisher."
        )
    }

    /// The error for a publisher that may be on another machine.
    static func remotePublisher(_ publisher: String) -> WorkerError {
        WorkerError(
            .openDoor,
            "The publisher at \(publisher) may be on another machine, and the worker cannot identify it without keys.",
            next: "For a publisher on this machine, use an ipc endpoint or a loopback address such as "
                + "tcp://127.0.0.1:7718. For a publisher on another machine, give the worker a certificate and an access "
                + "file, and name the publisher's key and principal."
        )
    }

    /// The error for the endpoint of a publisher with a wildcard.
    static func vaguePublisher(_ publisher: String) -> WorkerError {
        WorkerError(
            .definition,
            "The worker cannot connect to the publisher at \(publisher): the endpoint has a wildcard.",
            next: "Use the address and the port that the publisher has bound."
        )
    }

    /// The next move about a publisher whose key is no longer one of its principal's.
    static func restoredPublisherKey(_ principal: String) -> String {
        "Add the publisher's key to the principal \"\(principal)\" in the access file, and send SIGHUP to the worker. "
            + "If you removed the key on purpose, remove the publisher from the worker's file."
    }

    /// The cause of a connection to a publisher that failed, without a full stop.
    static func cause(of trouble: PublisherTrouble) -> String {
        switch trouble {
        case .keyRefused: "the publisher does not let this worker's key in"
        case .unchecked(let status):
            "the publisher could not check the key (status \(status) of ZeroMQ's authentication)"
        case .otherProtocol(let number):
            "the other side uses no keys, or does not publish (libzmq's protocol error 0x\(String(number, radix: 16)))"
        case .ended:
            "the connection ended during the handshake, as it does if the publisher has another key than the worker's "
                + "file says"
        }
    }

    /// The next move about a connection to a publisher that failed.
    static func advice(on trouble: PublisherTrouble) -> String {
        switch trouble {
        case .keyRefused: "Add the worker's public key to the keys that the publisher lets in."
        case .unchecked: "Look at the log of the publisher."
        case .otherProtocol, .ended:
            "Compare the key in the worker's file with the public key of the publisher, and check which program has "
                + "bound the endpoint."
        }
    }
}
