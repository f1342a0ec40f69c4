import ForgeBusProtocol

// Requests that are refused whatever they are about.
extension Errors {
    /// The refusal of new work while the worker starts.
    static let starting = BusError(
        .notReady,
        "The worker is starting.",
        next: "Send the same request again in a moment.",
        retryAfter: .milliseconds(500)
    )

    /// The refusal of new work while the worker stops.
    static let draining = BusError(
        .draining,
        "The worker is stopping.",
        next: "Send the same request again, to the worker that replaces this one.",
        retryAfter: .seconds(2)
    )

    /// The refusal of a durability that the worker does not offer.
    static func notDurable(_ wanted: Durability, offered: Durability) -> BusError {
        BusError(
            .notDurable,
            "This worker offers the durability `\(offered.rawValue)`, not `\(wanted.rawValue)`.",
            next: "Send the request without `durability`, or to a worker that offers `\(wanted.rawValue)`."
        )
    }

    /// The error `busy` with the limit `outstanding`: too many first answers are on their way to the connection.
    static let tooManyOutstanding = BusError.busy(
        "outstanding",
        "Either too many requests of this connection have no first answer yet, or the answers that clients have "
            + "not read take too much memory.",
        next: "Read the answers to earlier requests, and send the same request again later."
    )

    /// The error `busy` with the limit `connections`: too many connections are open.
    static let tooManyConnections = BusError.busy(
        "connections",
        "Too many connections to the worker are open.",
        next: "Close connections that are no longer needed, or send the same request again later."
    )

    /// The error `busy` with the limit `evaluations`.
    static let tooManyEvaluations = BusError.busy(
        "evaluations",
        "Too many senders already wait for a cycle that covers their notification.",
        next: "Send the notification without a wait for its cycle, or send the same request again later."
    )

    /// The error for a request whose id was used for other content; the earlier request may have begun a run.
    static func conflict(_ id: RequestID, _ run: Name?) -> BusError {
        BusError(
            .idConflict,
            "An earlier request with the id \(Printable.quoted(id.text)) had different content"
                + "\(run.map { "; that request began the run \($0)" } ?? "").",
            next: "Send the request with a new id (on the command line: `--id`; over HTTP: the header "
                + "Idempotency-Key).",
            details: run.map { ["run": .string($0.text)] } ?? [:]
        )
    }

    /// The error `busy` with the limit `disk` for a backup.
    static let noRoomForBackup = BusError.busy(
        "disk",
        "The disk of the worker's store is nearly full; the worker makes no backup now.",
        next: afterFreeing
    )

    /// The next move while the disk of the store is nearly full.
    static let afterFreeing =
        "Free space on this disk, or ask the worker's operator to do so. Then send the same request again."

    /// The error `busy` with the limit `backlog`.
    static func backlog(_ size: Int, most: Int) -> BusError {
        .busy(
            "backlog",
            "The worker's store cannot keep up: changes of \(size) bytes wait for it, and the limit is \(most) bytes."
        )
    }

    /// The error `busy` with the limit `attached` for a store task.
    static let tooManyForTask = BusError.busy(
        "attached",
        "Too many connections already wait for the outcome of this store task."
    )

    /// The error for a store task without a store.
    static let noStore = BusError(
        .unknownVerb,
        "This worker keeps its store only in memory: there are no stored records to check, count or copy, "
            + "and no audit.",
        next: "Start the worker with a store in a file or in a database."
    )

    /// The error `busy` with the limit `ledger`.
    static let ledgerIsFull = BusError.busy(
        "ledger",
        "The worker's ledger of requests is full; each entry is removed when its retention is over."
    )

    /// The limit of watches that a new watch would exceed.
    enum WatchLimit {
        case ofConnection
        case ofPrincipal(String)
        case inAll
    }

    /// The error `busy` with the limit `watches`.
    static func tooManyWatches(_ limit: WatchLimit) -> BusError {
        let cause =
            switch limit {
            case .ofConnection:
                "This connection to the worker has reached its limit of open watches (the users of a gateway share the "
                    + "gateway's connection)."
            case .ofPrincipal(let name):
                "All connections of the principal \"\(name)\" together have reached the limit of open watches."
            case .inAll: "The worker has reached its limit of open watches."
            }
        let next = "End a watch that is no longer needed, or send the same request again later."
        return .busy("watches", cause, next: next)
    }

    /// The error for a request to change many runs, whose filter matches another number of runs.
    ///
    /// - Parameters:
    ///   - count: How many runs the filter matches.
    ///   - expected: How many runs the request expects.
    ///   - isRedrive: Whether the request redrives the runs; otherwise it cancels them.
    /// - Returns: The error.
    static func countDiffers(_ count: Int, from expected: Int, isRedrive: Bool) -> BusError {
        let most = WireLimits.steeredRuns
        let wanted = expected == 1 ? "1 run" : "\(expected) runs"
        let runs = isRedrive ? "parked runs that you may redrive" : "unfinished runs that you may cancel"
        let next =
            switch count {
            case 0:
                "Look at the states of the runs (`forgebus list runs`): they have changed meanwhile, the filter is wrong, or "
                    + "you have no right to change these runs."
            case ...most:
                "List the runs with this filter; if you mean these runs, expect \(count) (on the command line: "
                    + "`--expect \(count)`)."
            default: "Narrow the filter: one request changes at most \(most) runs."
            }
        return BusError(
            .countDiffers,
            "Nothing was changed: the request expects \(wanted), but the filter matches \(count) of the \(runs).",
            next: next,
            details: ["count": .string("\(count)")]
        )
    }
}

// Items that the worker does not know.
extension Errors {
    /// The error for a signal, monitor or pipeline that the worker does not know; `kind` is its word.
    static func unknown(_ code: ErrorCode, _ kind: String, _ name: Name) -> BusError {
        let past =
            code == .unknownSignal
            ? " This list has only the signals that wait. The worker forgets a decided signal after some time; its "
                + "history may be kept longer: see for instance `forgebus explain \(name)`."
            : ""
        return BusError(
            code,
            "The worker knows no \(kind) \(Printable.quoted(name.text)).",
            next: "Look at the list of the worker's \(kind)s, for instance with `forgebus list \(kind)s`.\(past)"
        )
    }

    /// The error for a run that the worker does not keep.
    static func unknownRun(_ run: Name) -> BusError {
        // With a database as the store, the id of a run begins with the worker's name instead of `run-`.
        let doubt = run.text.hasPrefix("run-") ? "" : "If this is the id of a request, give the id of its run instead. "
        return BusError(
            .unknownRun,
            "The worker keeps no run \(Printable.quoted(run.text)).",
            next: "\(doubt)Look at the list of runs, for instance with `forgebus list runs`. The worker keeps a run "
                + "only for a limited time after its end. The history of the run may be kept longer: see for instance "
                + "`forgebus explain \(run)`."
        )
    }

    /// The error for a history of a name that neither the worker nor its journal knows.
    static func unknownHistory(_ name: Name, hasJournal: Bool) -> BusError {
        let journal = hasJournal ? "its journal has no entry with this name" : "without a store it has no journal"
        let past = hasJournal ? "; the journal entries of an old run may have been removed" : ""
        return BusError(
            .unknownRun,
            "The worker knows no run, signal or monitor \(Printable.quoted(name.text)), and \(journal).",
            next: "Compare the name with the worker's lists of runs, signals and monitors, for instance with "
                + "`forgebus list runs`\(past)."
        )
    }
}

// The arguments of store tasks.
extension Errors {
    /// The error for a verb that the worker does not know.
    static func unknownVerb(_ verb: Name) -> BusError {
        BusError(
            .unknownVerb,
            "This worker knows no verb \(Printable.quoted(verb.text)).",
            next: "Send one of store.verify, store.stats, store.backup, store.audit.page, store.audit.verify."
        )
    }

    /// The end of a sentence about the missing or malformed name of a copy.
    static func noCopyName(found: String) -> String {
        "needs a `name` for the copy: one or more parts joined by dots, each with 1 to 64 characters from "
            + "A-Z a-z 0-9 _ -; found \(found)"
    }

    /// The end of a sentence about a malformed `head`.
    static func noHead(found: String) -> String {
        "needs a `head` of a number, a colon and 64 hexadecimal digits; found \(found)"
    }

    /// The error for the arguments of a verb; `flaw` is the end of a sentence about the verb.
    static func badArguments(_ verb: Name, _ flaw: String) -> BusError {
        let possible =
            switch verb.text {
            case "store.backup": #"a body such as {"name":"backup-7"}"#
            case "store.audit.page":
                #"a body such as {"after":1200,"since_ms":1764115200000}; you can leave out one or both"#
            case "store.audit.verify": #"a body such as {"head":"1200:HASH"}, or {}"#
            default: "the body {}"
            }
        return BusError(
            .badBody,
            "The verb \(verb) \(flaw).",
            next: "Send \(possible). With `forgebus admin`, the body is the argument after the verb."
        )
    }
}
