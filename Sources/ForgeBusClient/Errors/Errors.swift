import ForgeBusProtocol
import ZeroMQ

/// The words of this module: the errors that the client itself creates, instead of receiving them from a worker, and
/// other sentences.
enum Errors {}

extension BusError {
    /// How to send a request again whose outcome is unknown, as the end of a sentence.
    package static let again =
        "send the request again; use the same id, except for a notification and for a request that only reads."
}

// MARK: Answers

extension Errors {
    static func unexpected(_ word: String, _ answer: Answer.Content) -> BusError {
        BusError(
            .badAnswer,
            "The worker sent the answer \(answer.word.rawValue) instead of \(word).",
            next: doubtAdvice
        )
    }

    private static let versionAdvice =
        "Use the same version of ForgeBus for the worker and for the program that is connected to it."

    private static let doubtAdvice =
        "If the request makes a change, the worker may have made it: check this before you send the request again. "
        + versionAdvice

    /// The error for an answer that cannot be read, to a request that makes a change.
    static func inDoubt(_ error: BusError) -> BusError {
        var error = error
        error.next = "The worker may have carried the request out: check this before you send it again. \(error.next)"
        return error
    }

    static let uncounted = BusError(
        .badAnswer,
        "The worker accepted the request, but its answer OK does not say how many runs were changed.",
        next: "List the runs to see which of them were changed. \(versionAdvice)"
    )

    static let notAccepted = BusError(
        .badAnswer,
        "The worker's last answer came without an ACCEPTED before it.",
        next: doubtAdvice
    )

    /// The error for an ACCEPTED that lacks the run's id, or the time for which the worker keeps the answer.
    static let acceptedNoRun = BusError(
        .badAnswer,
        "The worker accepted the run, but its answer ACCEPTED lacks the run's id, or the time for which the worker "
            + "keeps the result.",
        next: "List the runs to find this run. \(versionAdvice)"
    )
}

// MARK: Requests without an answer

extension Errors {
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
                next: endpoints.contains { $0.text.hasPrefix("ipc:") }
                    ? "Check the endpoint, that a worker runs there, and that this program's user may open the file of "
                        + "the endpoint; then send again."
                    : "Check the endpoint, and that a worker runs there; then send again."
            )
        }
        return BusError(
            .unreachable,
            "The request \(id) was not sent. The connection to \(endpoint) failed, because \(failure.cause).",
            next: advice(on: failure, "send the request again.")
        )
    }

    /// What to do about the failure, and then about the request.
    private static func advice(on failure: HandshakeFailure, _ again: String) -> String {
        switch failure {
        case .refused(status: 400):
            "Add this program's public key to the worker's access file, and send SIGHUP to the worker. Then \(again)"
        case .refused:
            "Look at the log of the worker, or of the proxy that listens at the endpoint. Then \(again)"
        case .protocolError, .ended:
            "Check the worker's public key, this program's own keys, and that a worker listens at the endpoint (not, "
                + "for instance, an HTTP server). A worker with keys accepts only connections with keys, and only a "
                + "limited number of connections in a minute; a worker without keys accepts only connections without "
                + "keys. Then \(again)"
        }
    }

    /// The error for a request that may have been sent and got no answer; `failure` says why the last handshake failed,
    /// or is nil if no handshake failed.
    static func timeout(_ call: Call, at endpoints: [Endpoint], _ failure: HandshakeFailure?) -> BusError {
        let endpoint = endpoints.map(\.text).joined(separator: " or ")
        let (id, resend) = (call.ticket.id, call.onlyReads ? "send the request again." : BusError.again)
        let answer = call.outstanding.isAnswered ? "further answer" : "answer"
        guard let failure else {
            return BusError(
                .timeout,
                call.onlyReads
                    ? "No \(answer) to the request \(id) came from \(endpoint) in time."
                    : "No \(answer) came from \(endpoint) in time: the outcome of the request \(id) is unknown.",
                next: "Check that the worker is running. Then \(resend)"
            )
        }
        return BusError(
            .timeout,
            (call.onlyReads
                ? "The connection was lost before the last answer to the request \(id) came. "
                : "The connection was lost, so the outcome of the request \(id) is unknown. ")
                + "A new connection to \(endpoint) fails, because \(failure.cause).",
            next: advice(on: failure, resend)
        )
    }

    /// The error for a request that has certainly had no effect when the worker refuses the client's key.
    ///
    /// Such a request was not sent, or the worker refused each sent copy, or the request only reads.
    static func refused(_ key: PublicKey?) -> BusError {
        BusError(
            .forbidden,
            "The worker refuses \(name(key)).",
            next: "Add this key to the worker's access file and send SIGHUP to the worker, or give the program a key "
                + "that the file contains."
        )
    }

    /// The error for a request that may have been sent before the worker refused the client's key.
    static func shutOut(_ id: RequestID, _ key: PublicKey?) -> BusError {
        BusError(
            .timeout,
            "The outcome of the request \(id) is unknown, because the worker no longer accepts \(name(key)).",
            next: "Add this key to the worker's access file, and send SIGHUP to the worker. Then \(BusError.again)"
        )
    }

    private static func name(_ key: PublicKey?) -> String {
        "this program\(key.map { "'s public key \"\($0)\"" } ?? "")"
    }

    /// The error for a request that may have been sent to one store, when the client now reaches a worker with another
    /// store at `endpoint`.
    static func otherStore(_ id: RequestID, at endpoint: Endpoint, among endpoints: [Endpoint]) -> BusError {
        BusError(
            .otherStore,
            "The outcome of the request \(id) is unknown: the request was perhaps sent to an earlier worker. "
                + "Now the client is connected to \(endpoint), where another worker runs, with another store. The "
                + "request was not sent to this worker, because it could then be carried out twice.",
            next:
                "If the store of the earlier worker still exists, stop the worker at \(endpoint), so that the client does "
                + "not connect to it. Then start a worker with the earlier store, at "
                + "\(endpoints.map(\.text).joined(separator: " or ")), and send the request again with the same id. "
                + "If the earlier store no longer exists, check whether the request was carried out, before you send "
                + "it with a new id."
        )
    }

}

// MARK: Requests that are not sent

extension Errors {
    static let actingUnsupported = BusError(
        .unsupportedVersion,
        "The worker is too old to accept requests that one principal sends for another, as a gateway does.",
        next: "Start the worker with a newer version of ForgeBus."
    )

    static func twice(_ id: RequestID) -> BusError {
        BusError(
            .badID,
            "A call or a watch with the request id \(id) is still open.",
            next: "If this is a different request, send it with a new id. If it is the same request, wait until that "
                + "call or watch has ended."
        )
    }

    static func outboxFull(_ id: RequestID, _ limits: ClientLimits) -> BusError {
        BusError(
            .busy,
            "The request \(id) was not sent: with it, more than \(limits.requests) requests or \(limits.bytes) bytes "
                + "would wait for answers of the worker.",
            next: "Check that the worker is running, and send the request again later. A program in Swift can also "
                + "give its `BusClient` higher `limits`.",
            details: ["limit": "outbox"]
        )
    }

    /// The error for a request that was not sent although the client is connected to the worker.
    static func notTaken(_ id: RequestID, at endpoint: Endpoint) -> BusError {
        BusError(
            .unreachable,
            "The request \(id) was not sent in time: there is a connection to \(endpoint), but earlier requests still "
                + "waited for the worker.",
            next: "Check that the worker answers, for instance with `forgebus ping`. Then send the request again, with "
                + "fewer requests at the same time. In a Swift program, you can also give the request a longer "
                + "`patience`; on the command line, a longer `--patience`."
        )
    }

    static func frameTooLarge(sizeInBytes: Int) -> BusError {
        BusError(
            .tooLarge,
            "A frame of the request has \(sizeInBytes) bytes; at most \(WireLimits.frameSizeInBytes) are "
                + "allowed.",
            next: "Send less data, or send a reference to the data."
        )
    }
}
