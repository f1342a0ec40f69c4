import ForgeBusProtocol
import ForgeBusStore

// Why runs end or wait.
extension Errors {
    /// The reason in the result of a run whose deadline passed.
    static let deadlinePassed = "The run's deadline passed."

    /// The reason in the result of a run that was cancelled for `reason`, which may be empty.
    static func cancelled(_ reason: String) -> String {
        reason.isEmpty ? "The run was cancelled." : "The run was cancelled, for this reason: \(reason)"
    }

    /// The reason in the result of a run that a newer run with the same key superseded.
    static func superseded(by newer: Name) -> String { "The newer run \(newer) superseded this run." }

    /// The reason of a run that is lost because the worker stopped.
    static let lostAtStop = "The worker stopped before the run ended."

    /// The reason of a run that is lost because it could not end before the worker in memory stopped.
    static let lostWhileWaiting =
        "The worker stopped while the run waited for something that could not come in the drain time. The worker "
        + "keeps runs only in memory, so it did not wait for this run."

    /// Why an action is not known to have ended, if the worker's death interrupted it.
    static let actionBrokenOff = "The worker stopped or died before the action ended."

    /// The result of an action or of conditions that did not return after their run was stopped.
    static func notReturned(isAction: Bool) -> String {
        "\(isAction ? "The executing action" : "The run's executing code") did not return in time and was abandoned."
    }

    /// The result of a run that is not kept any more.
    static func resultForgotten(_ run: Name) -> String {
        "The worker has forgotten the result of this run, because its retention is over. "
            + "`forgebus explain \(run)` may still show what happened."
    }

    /// Why a signal closes that the changed definition of its pipeline does not have.
    static let signalNotInDefinition =
        "The run continues under a changed definition of its pipeline, which no longer has this signal."

    /// Why a run is parked during whose action, or conditions, workers died too often.
    static func crashed(_ crashes: Int, action: String) -> String {
        let name =
            action.isEmpty
            ? "the conditions of the run's actions were evaluated" : "the action \"\(action)\" was executing"
        return "The worker died \(crashes) times while \(name)."
    }

    /// Why the outputs of a run are missing: they are too large.
    static func outputsTooLarge(_ size: Int, room: Int, largest: (key: String, size: Int)?) -> String {
        let one = largest.map { " The output `\($0.key)` alone takes \($0.size)." } ?? ""
        return "The outputs take \(size) bytes as JSON; the result has room for \(room).\(one)"
    }
}

// Runs that may not begin or continue.
extension Errors {
    /// The error for a pipeline that the worker does not serve.
    static func unknownPipeline(_ name: Name, among names: [String]) -> BusError {
        let guess = Spelling.guess(name.text, among: names).map { " Did you mean `\($0)`?" } ?? ""
        return BusError(
            .unknownPipeline,
            "The worker serves no pipeline \(Printable.quoted(name.text)).\(guess)",
            next: names.isEmpty
                ? "This worker has no pipelines: send the request to another worker."
                : "Run a pipeline that this worker serves: \(names.joined(separator: ", "))."
        )
    }

    /// The error for seeds that make an exclusive key of this size, with this template.
    static func keyTooLong(_ template: String, _ size: Int, most: Int) -> BusError {
        BusError(
            .badSeed,
            "The seeds make a key of \(size) bytes for `one_per: \(Printable.quoted(template))`; a key has at most \(most).",
            next: "Give the seeds in this key shorter values."
        )
    }

    /// The error for a run that may not wait for its key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - run: The run that has the key, with its state; nil if the sender may not read it.
    /// - Returns: The error.
    static func keyHeld(_ key: ExclusiveKey, by run: (Name, StateReport.State)?) -> BusError {
        BusError(
            .keyHeld,
            run.map { "The run \($0) has the key \(Printable.quoted(key.value)), and is \($1.rawValue)." }
                ?? "Another run has the key \(Printable.quoted(key.value)).",
            next: run.map { "Request the run again when \($0.0) has ended; `forgebus show run \($0.0)` shows it." }
                ?? "Request the run again when that run has ended."
        )
    }

    /// The error for a requested run that could never begin.
    ///
    /// It does not name the holder of the key, which the principals of `outer` may not be allowed to read.
    static func keyHeldByWaiter(_ key: ExclusiveKey, of outer: Name) -> BusError {
        BusError(
            .keyHeld,
            "The run could never begin: \(outer), which requests it and waits for it, holds its key "
                + "\(Printable.quoted(key.value)), or the run that holds this key waits for \(outer).",
            next: "Use another key or `group` in one of the two pipelines, or do not wait for the requested run."
        )
    }

    /// The error for a redrive of a run whose pipeline the worker no longer serves.
    static func pipelineGone(_ pipeline: Name, of run: Name) -> BusError {
        BusError(
            .unknownPipeline,
            "The worker serves no pipeline \(Printable.quoted(pipeline.text)), which the run \(run) needs.",
            next: "Start the worker with a definition of this pipeline, and redrive the run again; or cancel the run."
        )
    }

    /// The error for a redrive of a run whose seeds the changed definition refuses, for this reason.
    static func seedsDoNotFit(_ run: Name, because reason: String) -> BusError {
        BusError(
            .badSeed,
            "The seeds of the run \(run) do not fit the changed definition of its pipeline: \(reason)",
            next:
                "Start the worker with a definition that fits these seeds, and redrive the run again; or cancel the run."
        )
    }

    /// The error for the redrive of a run in this state, which is not parked.
    static func notParked(_ run: Name, _ state: StateReport.State) -> BusError {
        BusError(
            .notParked,
            "The run \(run) is \(state.rawValue), not parked.",
            next: (RunResult.State(rawValue: state.rawValue) == nil
                ? "Only a parked run needs a redrive."
                : "If its actions are to be executed again, request a new run; only a parked run can be redriven.")
                + " `forgebus explain \(run)` shows what happened to this run."
        )
    }

    /// The error `busy` with the limit `settled`.
    static func tooManySettled(_ count: Int, most: Int) -> BusError {
        .busy(
            "settled",
            "The worker keeps \(count) ended signals, and its limit is "
                + "\(most); until it forgets some of them, it accepts no run of a pipeline "
                + "with gates."
        )
    }

    /// The error `busy` with the limit `disk` for a run.
    static let noRoomForRun = BusError.busy(
        "disk",
        "The disk of the worker's store is nearly full; the worker accepts no new runs now.",
        next: afterFreeing
    )

    /// The error `busy` with the limit `queued`.
    static func queueIsFull(_ pipeline: Name, isPaused: Bool) -> BusError {
        let cause = "The queue of the pipeline \"\(pipeline)\" is full"
        if !isPaused { return .busy("queued", "\(cause).") }
        return .busy(
            "queued",
            "\(cause), and the pipeline is paused.",
            next: "Send the same request again when the pause has ended, or resume the pipeline."
        )
    }

    /// The error `busy` with the limit `unfinished`.
    static func tooManyUnfinished(_ principal: String, most: Int) -> BusError {
        .busy(
            "unfinished",
            "The principal \"\(principal)\" has reached its limit of \(most) runs that execute or wait to begin.",
            next: afterEnd
        )
    }

    /// The error `busy` with the limit `suspended`.
    static func tooManySuspended(_ principal: String, most: Int) -> BusError {
        .busy(
            "suspended",
            "The principal \"\(principal)\" has reached its limit of \(most) suspended or parked runs.",
            next: "Decide gates that wait, or redrive or cancel parked runs. Then send the same request again."
        )
    }

    /// The error `busy` with the limit `seeds`.
    static func seedsTakeTooMuch(most: Int) -> BusError {
        .busy(
            "seeds",
            "With this run, the seeds of all unfinished runs would take more than \(most) bytes.",
            next: afterEnd
        )
    }

    /// The error `busy` with the limit `results`.
    static func resultsTakeTooMuch(most: Int) -> BusError {
        .busy(
            "results",
            "The results of ended runs have reached the limit of \(most) bytes; the worker forgets each result "
                + "when its retention is over."
        )
    }

    private static let afterEnd = "Send the same request again when some of these runs have ended."

    /// What helps against a gate's id that another owner has.
    ///
    /// - Parameters:
    ///   - signal: The gate's id, which the pipeline's definition names.
    ///   - rest: After which time at the earliest the id is free; nil while its signal waits.
    ///   - retention: How long an ended signal keeps its id.
    ///   - isTold: Whether the sender may read the signal.
    /// - Returns: The next move.
    static func untilFree(_ signal: Name, in rest: Duration?, retention: Duration, isTold: Bool) -> String {
        let time =
            rest.map { "The signal has ended. Its id becomes free in \(rough($0))" }
            ?? "The signal still waits. Its id becomes free \(rough(retention)) after it has ended"
        let told = "\(time), if the run that owns it has ended, too. `forgebus show signal \(signal)` shows it. "
        return (isTold ? told : "")
            + "To have a gate at once, request a run with other seeds, if the id contains seeds. Or remove `signal` from the "
            + "gate in the pipeline's definition: then each run has a gate with an id of its own."
    }

    /// The error for a gate whose rule lists an earlier gate that the run does not have.
    static func noEarlierGate(_ action: String, isOfRun: Bool) -> BusError {
        BusError(
            .badValue,
            "The gate's rule lists `\(action)` as an earlier gate, but "
                + (isOfRun ? "the run's pipeline has no gate with this id." : "the gate itself belongs to no run."),
            next: isOfRun
                ? "In `distinctFrom`, write the action ids of gates of the run's pipeline."
                : "Remove `distinctFrom` from this rule, or open the gate in an action of a run."
        )
    }

    /// The error for a run that would make a chain of requesting runs too long.
    static func chainTooLong(most: Int) -> BusError {
        BusError(
            .badValue,
            "The chain, in which each run requests the next one, would become too long: it may have at most "
                + "\(most) runs that a run or a monitor requested.",
            next: "Shorten the chain, for instance by merging two of its pipelines."
        )
    }
}
