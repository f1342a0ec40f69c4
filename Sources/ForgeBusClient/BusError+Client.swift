import ForgeBusProtocol
import ZeroMQ

/// What a client says by itself.
extension BusError {
    static func unexpected(_ word: String) -> BusError {
        BusError(.badAnswer, "The last answer was not \(word).", next: "Use a client of the worker's version.")
    }

    static func timeout(_ id: RequestID) -> BusError {
        BusError(
            .timeout,
            "No answer came in time: the outcome of \(id) is unknown.",
            next: "Check that the worker runs, and send again under the same id."
        )
    }

    static func cancelled(_ id: RequestID) -> BusError {
        BusError(
            .closed,
            "The task that waited was cancelled: the outcome of \(id) is unknown.",
            next: "Send again under the same id to learn it."
        )
    }

    static func closed(_ id: RequestID) -> BusError {
        BusError(
            .closed,
            "The client was closed: the outcome of \(id) is unknown.",
            next: "Send again under the same id with another client."
        )
    }

    static func twice(_ id: RequestID) -> BusError {
        BusError(.badID, "\(id) is waiting for its answer already.", next: "Await the first call.")
    }

    static func outboxFull(_ id: RequestID, _ limits: ClientLimits) -> BusError {
        BusError(
            .busy,
            "\(limits.requests) requests or \(limits.bytes) bytes wait for an answer already; \(id) was not sent.",
            next: "Check that the worker runs, and send again later.",
            details: ["limit": "outbox"]
        )
    }

    /// Why a message cannot be sent: the worker's end of the connection closes at a frame that is too large.
    static func tooLarge(_ message: Message) -> BusError? {
        guard message.sizeInBytes > WireLimits.frameSizeInBytes else { return nil }
        for frame in 0..<message.count where message[frame].count > WireLimits.frameSizeInBytes {
            return BusError(
                .tooLarge,
                "A frame of \(message[frame].count) bytes is over the limit of \(WireLimits.frameSizeInBytes).",
                next: "Send less, or a reference to where it lies."
            )
        }
        return nil
    }
}
