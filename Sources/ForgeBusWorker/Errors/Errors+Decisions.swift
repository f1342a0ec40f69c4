import ForgeBusProtocol

// COMPLETE and REJECT, and decisions that the worker does not use.
extension Errors {
    /// The error `busy` with the limit `disk` for an early decision.
    static func noRoomForEarly(_ signal: Name) -> BusError {
        .busy(
            "disk",
            "Nothing waits for the signal \(signal) now. The worker accepts no early decisions, because "
                + "the disk of its store is nearly full.",
            next:
                "Send the same request again when something waits for the signal. To decide early, first free space on "
                + "this disk, or ask the worker's operator to do so."
        )
    }

    /// The error `busy` with the limit `votes`.
    static func tooManyVotes(sizeInBytes: Int) -> BusError {
        .busy(
            "votes",
            "With this vote, the votes on waiting gates (with their values and reasons) would take more than the "
                + "worker's limit of \(sizeInBytes) bytes.",
            next: "Send a shorter value or reason, or send the same request again when some of these gates are "
                + "decided."
        )
    }

    /// The error for the early decision of a principal that has as many as it may.
    static func tooManyEarly(of principal: String, most: Int) -> BusError {
        .busy(
            "early",
            "The worker already keeps \(most) early decisions of the "
                + "principal \"\(principal)\", and takes no more from one principal.",
            next: "Withdraw some of them, or send the same request again later."
        )
    }

    /// The error for an early decision when the worker keeps as many as it may.
    static func tooManyEarly(most: Int, sizeInBytes: Int) -> BusError {
        .busy(
            "early",
            "The worker keeps no further early decision now: it keeps at most \(most) from all "
                + "principals together, with at most \(sizeInBytes) bytes.",
            next: "Withdraw early decisions that are no longer needed, or send the same request again later."
        )
    }

    /// The error for a REJECT of a plain signal.
    static func notRejectable(_ signal: Name) -> BusError {
        BusError(
            .notRejectable,
            "The signal \(signal) is a plain signal: it can be completed, but not rejected.",
            next:
                "Leave the signal as it is, and tell the people who are responsible for the run or program that waits "
                + "for it. If the answer can also be no, that run or program has to open a gate instead of a plain "
                + "signal."
        )
    }

    /// Why a decision on a signal that can never wait is not kept.
    static func undeclared(_ signal: Name) -> String {
        "No gate or plain signal of this worker can have the id \(signal). Compare this id with "
            + "the ids of the gates and signals that wait; the dots in a seed's value become - in an id."
    }

    /// Why a decision is not kept that its sender did not want to be kept.
    static func unkept(_ signal: Name) -> String {
        "Nothing waits for the signal \(signal), and the sender asked the worker not to keep the "
            + "decision. Decide again, as a new request, when something waits."
    }

    /// Why a decision on a gate that does not wait is not kept.
    static func gateNotWaiting(_ signal: Name) -> String {
        "No gate waits under \(signal) now. Decide again, as a new request, when one waits. "
            + "To decide early, ask the worker to keep the decision, with `keep_ms` or, on the command line, with "
            + "`--early`."
    }

    /// Why a rejection for which nothing waits is not kept.
    static func rejectionNotKept(_ signal: Name) -> String {
        "Nothing waits for the signal \(signal), and only a gate can be rejected. "
            + "To reject a gate early, ask the worker to keep the decision, with `keep_ms` or, on the command "
            + "line, with `--early`."
    }

    /// Why an early decision is not used as a vote.
    static func earlyVoteTooLarge(sizeInBytes: Int) -> String {
        "As a vote, this decision would bring the votes on waiting gates over the worker's limit of "
            + "\(sizeInBytes) bytes."
    }

    /// Why an owner that opens a decided signal again does not get the decision.
    ///
    /// - Parameters:
    ///   - word: How the signal was decided, such as `approved`.
    ///   - isOfRun: Whether the owner is an action of a run.
    /// - Returns: The reason.
    static func decisionNotWhole(_ word: String, isOfRun: Bool) -> String {
        "The signal was \(word) before, but the "
            + "worker no longer has the whole decision: the decisions of all signals reached the limit "
            + "`decided_bytes`, so the worker keeps only digests of the oldest. "
            + "\(isOfRun ? "Request a new run." : "Open a gate with another id.") If this happens "
            + "often, the operator can raise the limit."
    }
}

// Why a principal may not decide a gate.
extension Errors {
    /// The gate needs to tell senders apart, and the worker has no keys.
    static let gateNeedsKeys =
        "Nobody can decide this gate until the worker has keys: the gate limits who may decide or needs "
        + "several decisions, and without keys the worker cannot tell senders apart."

    /// The principal may decide only after the gate has escalated.
    static func notYetEscalated(_ principal: String, after: Duration) -> String {
        "The principal \"\(principal)\" may decide this gate only after the gate has waited for \(after)."
    }

    /// The gate's rule does not name the principal.
    static func notAllowed(_ principal: String) -> String {
        "The principal \"\(principal)\" is not one of the principals that may decide this gate."
    }

    /// The principal requested the run, or caused it and counts as its requester.
    static func isRequester(_ principal: String, isCauser: Bool) -> String {
        let act = isCauser ? "caused the run and counts as its requester" : "requested the run"
        return "The principal \"\(principal)\" \(act), and this gate does not let the requester decide; another "
            + "principal must decide it."
    }

    /// The principal decided an earlier gate from which this one must be distinct.
    static func decidedEarlier(_ principal: String) -> String {
        "The principal \"\(principal)\" decided an earlier gate of the run; another principal must decide "
            + "this gate."
    }

    /// The principal lost the right to complete the signal.
    static func mayNoLongerComplete(_ principal: String) -> String {
        "The principal \"\(principal)\" no longer has the right to complete the signal."
    }

    /// The principal that sent the vote lost the right to complete the signal for another one.
    static func mayNoLongerComplete(_ via: String, for principal: String) -> String {
        "The principal \"\(via)\" no longer has the right to complete the signal for the principal "
            + "\"\(principal)\"."
    }
}
