import ForgeBusClient
import ForgeBusConfiguration
import ForgeBusProtocol
import Foundation

#if canImport(Musl)
import Musl
#endif

/// What commands say about the answers of a worker.
extension Errors {
    /// The error for a decision by the id of a run that does not wait at exactly one gate.
    static func notAtOneGate(_ run: RunItem, _ gates: [SignalID]) -> BusError {
        BusError(
            .unknownSignal,
            gates.isEmpty
                ? "The run \(run.id) waits at no gate; its state is \(run.json["state"]?.string ?? "unknown")."
                : "The run \(run.id) waits at \(gates.count) gates: \(gates.map { "\($0)" }.joined(separator: ", ")).",
            next: gates.isEmpty ? "See what it does: forgebus attach \(run.id)." : "Name one of these gates."
        )
    }

    /// The error of `publish` that ended before enough workers followed the topic.
    static let nothingPublished = BusError.interrupted("nothing was published.", next: "Run the command again.")

    static func unknownItem(_ name: Name, _ client: ClientOptions) -> BusError {
        let shown = Printable.quoted(name.text)
        return BusError(
            .unknownSignal,
            "The worker knows no signal, run, monitor or pipeline \(shown), or you have no right to read it.",
            next:
                "Look for the name in the output of \(client.call("list", "signals")). In place of `signals`, you can "
                + "write `runs`, `monitors` or `pipelines`. The id of a run is not the id of its request."
        )
    }

    static func emptyHistory(of name: String) -> String {
        "The history of \(Printable.quoted(name)) is empty: nothing was recorded about it so "
            + "far, its old events were deleted, or the worker's store is in memory and records no history."
    }

    /// There is no output of a run, or of one of its actions; `others` are actions of which there is output.
    static func noOutput(of run: Name, _ action: String?, others: [String]) -> String {
        let whose = action.map { "the action \(Printable.quoted($0)) of the run \(run)" } ?? "the run \(run)"
        var names: [String] = []
        for name in others where !names.contains(name) { names.append(name) }
        let list = names.joined(separator: ", ")
        let hint = names.isEmpty ? "" : " There is output of these actions: \(list)."
        let last =
            action == nil
            ? "or the output was deleted, or never stored, as with a store in memory."
            : "the output was deleted, or never stored, as with a store in memory, or the run has no such action."
        return "The worker has no output of \(whose): nothing was printed, no attempt has ended yet, \(last)\(hint)"
    }

    static func lostEvents(_ count: Int, remedy: String) -> String {
        "(\(count == 1 ? "1 event" : "\(count) events") or more may be missing here, because the connection broke, or "
            + "because this command did not print fast enough. For the current state: \(remedy))"
    }

    static func unchecked(_ kinds: String) -> [String] {
        [
            "\(kinds) were not checked, because you have no right to read all of them",
            "  To check them, ask the worker's operator for the right `read` on all \(kinds).",
        ]
    }

    /// Standard output could not be written, with the error number `code`.
    static func unwrittenOutput(_ code: Int32) -> [String] {
        let remedy = [ENOSPC, EDQUOT].contains(code) ? "Free disk space, or send" : "Send"
        return [
            "Standard output cannot be written: \(String(cString: strerror(code))).",
            "  The command reported no other error, but its output is incomplete. \(remedy) the output elsewhere. Then run "
                + "the command again, unless it changes something: then it has already done so.",
        ]
    }
}

/// Verdicts on decisions.
extension Errors {
    static func decidedButParked(_ reason: String, _ signal: SignalID, _ client: ClientOptions) -> String {
        let show = client.command(["show", "signal", "\(signal)"])
        let redrive = client.command(["redrive", "RUN"])
        return ItemTable.joined(
            "the decision counts, but the run is parked: \(reason)",
            "to see the run's id: \(show); to resume the run: \(redrive)"
        )
    }

    static func keptDecision(for time: Duration) -> String {
        "nothing waits for the signal yet; the worker keeps the decision for \(DurationText.text(of: time)); when something "
            + "begins to wait, the worker checks whether you are allowed to decide"
    }

    static func standingDecision(_ decision: Decision.Kind, of principal: String) -> String {
        "the principal \"\(principal)\" \(decision) it before, and that decision stands; yours is the opposite, or has "
            + "another value or reason"
    }

    static let droppedDecision =
        "nothing waits for the signal, and the worker did not keep the decision; check the id, or decide early with "
        + "--early"
}

/// The state of a worker.
extension Errors {
    static func failedForEvent(_ run: RunID, of pipeline: PipelineName, _ count: Int) -> String {
        count == 1
            ? "an event requested the run \(run) of the pipeline \"\(pipeline)\", and this run"
            : "events requested runs of the pipeline \"\(pipeline)\", and the last \(count) of these runs failed or are "
                + "parked; the latest, \(run),"
    }

    static func requestedRuns(_ count: Int, _ obstacle: String) -> String {
        (count == 1
            ? "1 run has not begun, although a monitor or an event has requested it: "
            : "\(count) runs have not begun, although monitors or events have requested them: ") + obstacle
    }

    static let limitOfOwedRuns =
        "either the worker has reached one of its limits (forgebus hello lists them), or within a minute, events have "
        + "requested more than 100 runs of one pipeline. The worker begins them when the limits allow it"

    static let backlog =
        "requests are refused until the store has caught up; if this lasts, check the disk or the database of the store"
}
