import ForgeBusProtocol
import ZeroMQ

/// The errors that the client itself creates, instead of receiving them from a worker.
extension BusError {
    static func unexpected(_ word: String, _ answer: Answer.Content) -> BusError {
        BusError(
            .badAnswer,
            "The client expected the answer \(word), and the worker sent \(answer.word.rawValue).",
            next: "Use a client of the worker's version."
        )
    }

    static let uncounted = BusError(
        .badAnswer,
        "The worker accepted the request, but its answer OK does not say how many runs it changes.",
        next: "List the runs to see which of them were changed, and use a client of the worker's version."
    )

    static let notAccepted = BusError(
        .badAnswer,
        "The worker's last answer came without an ACCEPTED before it.",
        next: "Use a client of the worker's version."
    )

    /// The error for an ACCEPTED that lacks the run's id, or the time for which the worker keeps the answer.
    static let acceptedNoRun = BusError(
        .badAnswer,
        "The worker's answer ACCEPTED lacks the run's id, or the time for which the worker keeps the result.",
        next: "Use a client of the worker's version."
    )

    /// The error for a connection that cannot be opened, because of the operating system or because of the endpoint.
    static func unreachable(_ error: ZeroMQError) -> BusError {
        BusError(.unreachable, error.message, next: error.next)
    }

    /// The error for a request that the client could not send; `failure` says why the last handshake failed, or is nil
    /// if no handshake failed.
    static func notSent(_ id: RequestID, to endpoints: [Endpoint], _ failure: HandshakeFailure?) -> BusError {
        let endpoint = endpoints.map(\.text).joined(separator: " or ")
        guard let failure else {
            return BusError(
                .unreachable,
                "No worker was reached at \(endpoint) in time: the request \(id) was not sent.",
                next: "Check the endpoint, and that a worker runs there; then send again."
            )
        }
        return BusError(
            .unreachable,
            "The handshake with \(endpoint) failed (\(failure.cause)): the request \(id) was not sent.",
            next: keyAdvice
        )
    }

    private static let keyAdvice =
        "Check the worker's public key, this client's keys, and that a worker listens at the endpoint (not, for "
        + "instance, an HTTP server). Then send the request again with the same id. "
        + "A worker with keys accepts only clients with keys; a worker without keys accepts only clients without keys."

    /// The error for a request that may have been sent and got no answer; `failure` says why the last handshake failed,
    /// or is nil if no handshake failed.
    static func timeout(_ id: RequestID, at endpoints: [Endpoint], _ failure: HandshakeFailure?) -> BusError {
        let endpoint = endpoints.map(\.text).joined(separator: " or ")
        guard let failure else {
            return BusError(
                .timeout,
                "No answer came from \(endpoint) in time: the outcome of the request \(id) is unknown.",
                next: "Check that the worker is running, and send the request again with the same id."
            )
        }
        return BusError(
            .timeout,
            "The handshake with \(endpoint) failed (\(failure.cause)): the outcome of the request \(id) is unknown.",
            next: keyAdvice
        )
    }

    /// The error for a request that has certainly had no effect when the worker refuses the client's key.
    ///
    /// Such a request was not sent, or the worker refused each sent copy, or the request only reads.
    static func refused(_ key: PublicKey?) -> BusError {
        let name = key.map { "the key \($0)" } ?? "this client"
        return BusError(
            .forbidden,
            "The worker does not let \(name) in.",
            next: "Add the key to the worker's access file and send SIGHUP to the worker, or use a key that the file "
                + "contains."
        )
    }

    /// The error for a request that may have been sent before the worker refused the client's key.
    static func shutOut(_ id: RequestID, _ key: PublicKey?) -> BusError {
        let name = key.map { "the key \($0)" } ?? "this client"
        return BusError(
            .timeout,
            "The worker does not let \(name) in any more: the outcome of the request \(id) is unknown.",
            next: "Add the key to the worker's access file, send SIGHUP to the worker, and send the request again with "
                + "the same id."
        )
    }

    static func cancelled(_ id: RequestID) -> BusError {
        BusError(
            .cancelled,
            "The task that waited was cancelled: the outcome of the request \(id) is unknown.",
            next: "End the task; to learn the outcome, send the request again with the same id from another task.",
            details: ["request": .string(id.text)]
        )
    }

    static func closed(_ id: RequestID) -> BusError {
        BusError(
            .closed,
            "The client was closed: the outcome of the request \(id) is unknown.",
            next: "Make a new client, and send the request again with the same id.",
            details: ["request": .string(id.text)]
        )
    }

    /// The error for a request that may have been sent to one store, when the client now reaches a worker with another
    /// store at `endpoint`.
    static func otherStore(_ id: RequestID, at endpoint: Endpoint, among endpoints: [Endpoint]) -> BusError {
        let others = endpoints.filter { $0 != endpoint }.map(\.text).joined(separator: " or ")
        let earlier = others.isEmpty ? "an earlier worker" : "the worker at \(others)"
        return BusError(
            .otherStore,
            "The outcome of the request \(id) is unknown: \(earlier) may have got it. It was not sent to the worker at "
                + "\(endpoint), which has another store and could carry it out a second time.",
            next:
                "Send the request again, with the same id, to \(earlier). Before you send it with a new id, check whether it "
                + "was carried out."
        )
    }

    static let actingUnsupported = BusError(
        .unsupportedVersion,
        "The worker is too old to accept requests that one principal sends for another, as a gateway does.",
        next: "Start the worker with a newer version of the program."
    )

    static func twice(_ id: RequestID) -> BusError {
        BusError(
            .badID,
            "A call or a watch with the request id \(id) is still open.",
            next: "Wait until that call or watch has ended, or send this request with a new id."
        )
    }

    static func outboxFull(_ id: RequestID, _ limits: ClientLimits) -> BusError {
        BusError(
            .busy,
            "The request \(id) was not sent, because requests that wait for an answer have reached the client's limit "
                + "of \(limits.requests) requests or \(limits.bytes) bytes.",
            next: "Check that the worker is running, and send the request again later; or give the client higher "
                + "`limits`.",
            details: ["limit": "outbox"]
        )
    }

    /// The error for a request that was not sent although the client is connected to the worker.
    static func notTaken(_ id: RequestID, at endpoint: Endpoint) -> BusError {
        BusError(
            .unreachable,
            "The request \(id) was not sent in time: the client is connected to \(endpoint), but earlier requests of "
                + "the client still wait there.",
            next: "Check that the worker answers a PING, and send the request again later, or with a longer patience."
        )
    }

    /// The error for a message with a frame over 1 MiB; nil if each frame is small enough.
    ///
    /// A worker closes the connection when it receives such a frame.
    static func tooLarge(_ message: Message) -> BusError? {
        guard message.sizeInBytes > WireLimits.frameSizeInBytes else { return nil }
        for frame in 0..<message.count where message[frame].count > WireLimits.frameSizeInBytes {
            return BusError(
                .tooLarge,
                "A frame of the request has \(message[frame].count) bytes; at most \(WireLimits.frameSizeInBytes) are "
                    + "allowed.",
                next: "Send less data, or send a reference to the data."
            )
        }
        return nil
    }
}

extension HandshakeFailure {
    /// The cause of the failure, in words, without a full stop.
    var cause: String {
        switch self {
        case .refused(status: 400): "the worker does not know the key of this process (ZAP status 400)"
        case .refused(let status): "the worker refused the connection for the moment, with the ZAP status \(status)"
        case .protocolError(let number):
            "the two sides do not use the same keys or encryption, or the other side does not speak ZeroMQ; libzmq's "
                + "protocol error 0x\(String(number, radix: 16))"
        case .ended(let reason): "the connection ended during the handshake: \(reason)"
        }
    }
}
