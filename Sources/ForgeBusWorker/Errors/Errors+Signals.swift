import ForgeBusProtocol

// Signals that cannot be opened.
extension Errors {
    /// The error for the owner of a signal that cannot be opened, because too many signals wait.
    ///
    /// If the owner is a run, its action fails. The same request then always gets the same result, so the advice is to
    /// send a request with a new id.
    static func tooManyWait(_ count: Int, isOfRun: Bool) -> BusError {
        BusError(
            .busy,
            "\(count) signals wait for a decision, and the worker's limit `waiting` allows no more.",
            next: "Decide some of these signals, or let the operator raise the limit. `forgebus list signals`, or over "
                + "HTTP GET /v1/signals, shows the signals. Then "
                + (isOfRun ? "request a new run." : "open the signal again."),
            details: ["limit": "waiting"]
        )
    }

    /// The error for a gate whose rule is invalid; `flaw` is the end of a sentence.
    static func impossible(_ signal: Name, _ flaw: String) -> BusError {
        BusError(.badValue, "The gate \(signal) cannot be opened: \(flaw).", next: "Correct the gate's rule.")
    }

    static func unkeyed(_ signal: Name) -> BusError {
        BusError(
            .forbidden,
            "The gate \(signal) cannot be opened: it limits who may decide or needs several decisions, and without "
                + "keys the worker cannot tell senders apart.",
            next: "Give the worker keys and an access policy, or remove this part of the gate's rule."
        )
    }

    /// The error for a signal of another owner; `owner` is nil if the sender may not learn the owner's name.
    ///
    /// `isNeeded` says that the signal is a gate of a run that cannot begin or continue without it.
    static func taken(
        _ signal: Name,
        by owner: String?,
        next: String = "If the signal's id contains seeds, request a run with other seeds. Or wait until the id is "
            + "free: until the signal and the run that owns it have ended, and the worker's signal retention is over. "
            + "To give each run a signal of its own, put the run's id into the signal's id in the pipeline's "
            + "definition.",
        isNeeded: Bool = false
    ) -> BusError {
        let name = owner.map { "another owner: \($0)" } ?? "another owner, whose name you may not read"
        let cause =
            isNeeded
            ? "A gate of the run needs the signal \(signal), but the signal belongs to \(name)."
            : "The signal \(signal) belongs to \(name)."
        return BusError(.idTaken, cause, next: next)
    }

    /// Why an announced signal closes that no program announced again within this time.
    static func notAnnouncedAgain(within retention: Duration) -> String {
        "After the signal was announced, another process of the worker began (a restart or a take-over), and no "
            + "program announced the signal again within \(rough(retention))."
    }

    /// A time for people, in the largest unit of which it has two or more, rounded down: `6 days`, `36 hours`, `90 s`.
    static func rough(_ time: Duration) -> String {
        let seconds = time.components.seconds
        let units: [(Int64, String)] = [(86_400, "days"), (3_600, "hours"), (60, "minutes")]
        guard let (size, unit) = units.first(where: { seconds >= 2 * $0.0 }) else { return "\(seconds) s" }
        return "\(seconds / size) \(unit)"
    }

    /// The error for a signal that nobody could decide.
    ///
    /// - Parameters:
    ///   - id: The signal's id.
    ///   - kind: The word for the kind of signal.
    ///   - hasWorker: Whether a worker executes the run; if so, no action of the run executes.
    /// - Returns: The error.
    static func nobodyDecides(_ id: String, _ kind: String, hasWorker: Bool) -> BusError {
        let subject = "The \(kind) \(Printable.quoted(id)) cannot be opened"
        guard hasWorker else {
            return BusError(
                .unreachable,
                "\(subject), because no worker executes this run.",
                next: "Run the pipeline on a BusWorker; in a test, run it on a TestWorker (import ForgeBusTesting)."
            )
        }
        return BusError(
            .unreachable,
            "\(subject), because no action of this run is executing now.",
            next: "Open the \(kind) in the `execute` of an action."
        )
    }
}
