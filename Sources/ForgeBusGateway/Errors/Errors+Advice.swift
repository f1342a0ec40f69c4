import ForgeBusProtocol

/// The next moves over HTTP, where those of the bus do not suffice, or name a command or a client in Swift.
extension Errors {
    /// The next move of a program; nil where that of the error suffices.
    static func next(after error: BusError) -> String? {
        switch error.code {
        case .timeout:
            error.details["request"]?.string.map {
                "\(error.next) Over HTTP, the id is the header `Idempotency-Key: \($0)`."
            }
        case .unknownRun:
            "Compare the id with those in /v1/runs: the Idempotency-Key of a request is not the id of its run. If you "
                + "asked for a history, compare it also with /v1/signals and /v1/monitors. Runs and signals that have "
                + "ended are kept only for some time."
        case .unknownSignal:
            "Look for the id in /v1/signals, which lists the signals that wait. The worker forgets a decided signal "
                + "after some time; /v1/history/ with its id may still show what happened."
        case .unknownMonitor: "Look for the name in /v1/monitors."
        // The advice of the worker depends on the state of the run.
        case .notParked: error.next.replacing("`forgebus explain ", with: "`/v1/history/")
        // Without a command in its advice, the sender may not read the signal.
        case .idTaken where error.next.contains("`forgebus "):
            "Look at the signal at /v1/signals/ with its id. The id becomes free when the signal and the run that owns "
                + "it have ended, and the worker's signal retention is over: then send the request again. If the id "
                + "contains seeds, you can also start a run with other seeds."
        case .unknownCommand:
            "The worker is older than the gateway: start the worker with the gateway's version of the program."
        case .draining:
            "Send the same request again as soon as /readyz answers 200: then the next worker accepts requests."
        case .closed, .cancelled:
            error.details["request"]?.string.map {
                "This happens when the gateway stops. When it runs again, send the request again; if it makes a "
                    + "change, send it with the header `Idempotency-Key: \($0)`."
            } ?? "This happens when the gateway stops. When it runs again, send the request again."
        default: nil
        }
    }

    /// The next move of a person at a browser, who cannot send a header; nil where that for programs suffices.
    static func nextInBrowser(after error: BusError, isChange: Bool) -> String? {
        guard [.timeout, .closed, .cancelled].contains(error.code) else { return nil }
        let again = isChange ? ", and make the change again only if the page does not show it." : "."
        return "Check that the gateway and the worker are running. Then load the page again\(again)"
    }

    /// The next move after a delivery whose outcome is unknown: the service sends it again with the same id; nil after
    /// other errors.
    static func nextOfDelivery(after error: BusError) -> String? {
        let again = "let the service send the same delivery again: the worker starts at most one run for it."
        return switch error.code {
        case .timeout where error.details["request"] != nil: error.next.replacing(BusError.again, with: again)
        case .timeout, .closed, .cancelled: "This happens when the gateway stops. When it runs again, \(again)"
        default: nil
        }
    }
}
