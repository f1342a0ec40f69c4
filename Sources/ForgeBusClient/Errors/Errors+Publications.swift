import ForgeBusProtocol
import ZeroMQ

// The errors of a publisher.

extension Errors {
    static let publisherClosed = BusError(
        .closed,
        "The publisher was closed.",
        next: "Make a new publisher, and publish the change with it."
    )

    static func boundWithKeys(_ endpoint: Endpoint) -> BusError {
        BusError(
            .unreachable,
            "A publisher with keys can only connect to workers; it cannot bind \(endpoint).",
            next: "Pass the workers' publication endpoints as `connectingTo`, or make a publisher without keys."
        )
    }

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

    static func nobodyFollows(_ topic: Topic) -> BusError {
        BusError(
            .timeout,
            "No worker subscribed to the topic \"\(topic)\" in time.",
            next: "Check that a worker is connected to this publisher, and that a monitor of this worker follows the "
                + "topic."
        )
    }
}
