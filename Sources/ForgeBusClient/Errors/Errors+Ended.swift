import ForgeBusProtocol

// The errors of calls and watches that the program itself ends: it cancels a task, or closes the client.

extension Errors {
    static func cancelled(_ id: RequestID) -> BusError {
        BusError(
            .cancelled,
            "The task that waited for the answer was cancelled: the outcome of the request \(id) is unknown.",
            next: "Let this task end. From another task, \(BusError.again)",
            details: ["request": .string(id.text)]
        )
    }

    /// The error for a cancelled call whose request has no effect: it was not sent, was refused, or only reads.
    static func cancelledNoEffect(_ id: RequestID) -> BusError {
        BusError(
            .cancelled,
            "The task that waited for the answer to the request \(id) was cancelled; this call had no effect.",
            next: "Let this task end. If you still need the answer, send the request again from another task.",
            details: ["request": .string(id.text)]
        )
    }

    /// The error for a task that was cancelled while it waited for a result that the client still waits for.
    static func resultCancelled(_ id: RequestID, _ run: RunID) -> BusError {
        BusError(
            .cancelled,
            "The task that waited for the result of the run \(run) was cancelled; this does not cancel the run.",
            next: "Let this task end. To get the result, read `result` of the same `BusRun` in another task.",
            details: ["request": .string(id.text)]
        )
    }

    /// The error for a call whose request has no effect, because the client was closed: the request was not sent, was
    /// refused, or only reads.
    static func closedNoEffect(_ id: RequestID) -> BusError {
        BusError(
            .closed,
            "The client was closed before an answer to the request \(id) came; this call had no effect.",
            next: "Make a new client, and send the request again.",
            details: ["request": .string(id.text)]
        )
    }

    static func closed(_ id: RequestID) -> BusError {
        BusError(
            .closed,
            "The client was closed before an answer came, so the outcome of the request \(id) is unknown.",
            next: "Make a new client, and \(BusError.again)",
            details: ["request": .string(id.text)]
        )
    }

    static func closedWatch(_ id: RequestID) -> BusError {
        BusError(
            .closed,
            "The client was closed, so the watch \(id) has ended.",
            next: "To get further events, make a new client, and watch again.",
            details: ["request": .string(id.text)]
        )
    }
}
