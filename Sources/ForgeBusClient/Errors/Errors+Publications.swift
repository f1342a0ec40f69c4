import ForgeBusProtocol
import ZeroMQ

// The errors of a publisher.

extension Errors {
    static let publisherClosed = BusError(
        .closed,
        "The publisher was closed.",
        next: "Make a new publisher, and publish the change with it."
    )

    static func attributeTooLong(_ attribute: String, sizeInBytes: Int, limit: Int) -> BusError {
        BusError(
            .badAttribute,
            "`\(attribute)` has \(sizeInBytes) bytes; at most \(limit) are allowed.",
            next: "Pass a shorter text, or pass nil."
        )
    }

    static func bodyTooLarge(_ size: Int) -> BusError {
        BusError(
            .tooLarge,
            "The body has \(size) bytes; at most \(WireLimits.frameSizeInBytes) are allowed.",
            next: "Publish a short hint, and let the monitors' actions read the data at its source."
        )
    }

    static func waitCancelled(for topic: Topic) -> BusError {
        BusError(
            .cancelled,
            "The task that waited for followers of the topic \"\(topic)\" was cancelled.",
            next: "Call `awaitFollowers` again in another task."
        )
    }

    /// Why a subscriber may be missing.
    enum MissingSubscriber {
        /// A subscriber with this key was refused.
        case refused(String)
        /// The last handshake failed.
        case failed(HandshakeFailure)
    }

    static func tooFewFollow(_ topic: Topic, _ count: Int, of wanted: Int, _ trouble: MissingSubscriber?) -> BusError {
        let found =
            switch count {
            case 0: "No worker"
            case 1: "Only 1 of \(wanted) workers"
            default: "Only \(count) of \(wanted) workers"
            }
        let (cause, next) =
            switch trouble {
            case .refused(let key):
                (
                    " The publisher refused a subscriber with the key \(key).",
                    "If this is the key of a worker, let it in. Check"
                )
            case .failed(let failure): (" A connection failed: \(failure.cause).", "Check")
            case nil: ("", "Check")
            }
        return BusError(
            .timeout,
            "\(found) subscribed to the topic \"\(topic)\" in time.\(cause)",
            next: "\(next) that the workers are connected to this publisher, and that a monitor of each follows the "
                + "topic."
        )
    }
}
