import ForgeBusProtocol

/// The shapes of the objects in the API's answers, as schemas of the OpenAPI document.
///
/// Protocol.md says what each member means to the bus, and when it is absent. A worker may add members.
enum Schemas {
    /// A member of an object; its key ends in `?` if it may be absent.
    private typealias Member = (key: String, schema: JSONValue, description: String)

    /// All schemas by their names.
    static let all: JSONObject = [
        "Problem": problem,
        "Run": run, "RunPage": page(of: "Run"), "RunAccepted": runAccepted, "RunResult": runResult,
        "Action": action, "Wait": wait, "EndedSignal": endedSignal, "Origin": origin,
        "Pipeline": pipeline, "PipelinePage": page(of: "Pipeline"), "Seed": seed, "PipelineAction": pipelineAction,
        "Signal": signal, "SignalPage": page(of: "Signal"), "Vote": vote, "EarlyDecision": earlyDecision,
        "Monitor": monitor, "MonitorPage": page(of: "Monitor"), "LastCycle": lastCycle, "Pause": pause,
        "Worker": worker, "Output": entries(of: "OutputEntry"), "OutputEntry": outputEntry,
        "History": entries(of: "HistoryEntry"), "HistoryEntry": historyEntry,
        "NotificationAccepted": notificationAccepted, "Evaluation": evaluation, "MonitorEvaluation": monitorEvaluation,
        "Verdict": verdict, "Report": report, "FleetReport": fleetReport, "FleetLine": fleetLine,
        "RollOutAccepted": rollOutAccepted,
    ]

    /// A reference to one of them.
    static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }

    // MARK: Types

    private static let text: JSONValue = ["type": "string"]
    private static let flag: JSONValue = ["type": "boolean"]
    private static let count: JSONValue = ["type": "integer", "format": "int64"]
    private static let words: JSONValue = ["type": "array", "items": ["type": "string"]]
    private static let anyObject: JSONValue = ["type": "object", "additionalProperties": true]

    private static func list(of name: String) -> JSONValue { ["type": "array", "items": reference(name)] }

    private static func object(_ members: [Member]) -> JSONValue {
        var properties = JSONObject()
        var required: [JSONValue] = []
        for member in members {
            let isOptional = member.key.hasSuffix("?")
            let key = isOptional ? String(member.key.dropLast()) : member.key
            if !isOptional { required.append(.string(key)) }
            var schema = member.schema.object ?? [:]
            // What stands beside a reference would be ignored by older readers.
            if schema["$ref"] == nil { schema["description"] = .string(member.description) }
            properties[key] = .object(schema)
        }
        var object: JSONObject = ["type": "object"]
        if !required.isEmpty { object["required"] = .array(required) }
        object["properties"] = .object(properties)
        return .object(object)
    }

    private static func page(of name: String) -> JSONValue {
        object([
            ("items", list(of: name), "The items of the page."),
            ("cursor?", text, "Where the next page begins; absent on the last page."),
        ])
    }

    private static func entries(of name: String) -> JSONValue {
        object([
            ("name", text, "What was asked for."),
            ("entries", list(of: name), "The entries, oldest first."),
            ("truncated?", flag, "Whether older entries are left out."),
        ])
    }

    // MARK: Runs

    private static let run = object([
        ("run", text, "The run's id."),
        ("pipeline", text, "The run's pipeline."),
        ("title?", text, "What the run is about, as its pipeline's title says."),
        (
            "state", text,
            """
            queued, running, waiting, retrying, parked or stopping; or, of an ended run, completed, failed, timed_out, \
            cancelled or lost.
            """
        ),
        ("id", text, "The id of the request that began the run."),
        ("principal", text, "Who requested the run."),
        ("accepted_at_ms", count, "When the worker accepted the run, in milliseconds since 1970."),
        ("began_at_ms?", count, "When the run began to execute."),
        ("ended_at_ms?", count, "When the run ended."),
        ("deadline_at_ms?", count, "When the run times out."),
        ("action?", text, "The action at which an unfinished run is."),
        ("signal?", text, "The signal that the run waits for."),
        ("due_at_ms?", count, "When a retrying run tries again."),
        ("reason?", text, "Why the run is parked or stopping, why its last attempt failed, or why it ended so."),
        ("paused?", reference("Pause"), "Why a queued run gets no slot."),
        ("seeds?", anyObject, "The seeds of the run that are not secret."),
        ("outputs?", anyObject, "The outputs of an ended run."),
        ("actions?", list(of: "Action"), "The actions that have ended."),
        ("waits?", list(of: "Wait"), "What an unfinished run waits for."),
        ("signals?", list(of: "EndedSignal"), "The gates and signals of the run that have ended."),
        ("abandoned?", words, "The actions that had not returned when the run ended."),
        ("origin?", reference("Origin"), "What requested the run, if no sender did."),
        ("kept?", flag, "False if the seeds and signals of this ended run are no longer kept."),
        ("truncated?", flag, "True if the answer has no room for the outputs."),
    ])

    private static let runAccepted = object([
        ("run?", text, "The run's id."), ("state", text, "accepted, or the state of the run after the wait."),
    ])

    private static let runResult = object([
        ("run", text, "The run's id."),
        ("state", text, "completed, failed, timed_out, cancelled or lost."),
        ("reason?", text, "Why the run ended in this state."),
        ("actions", list(of: "Action"), "The actions, in the order in which they started."),
        ("outputs", anyObject, "The outputs that the run has set."),
        ("abandoned?", words, "The actions that had not returned when the run ended."),
    ])

    private static let action = object([
        ("action", text, "The action's id."),
        ("result", text, "completed, skipped or failed."),
        ("reason?", text, "Why the action failed."),
        ("start_us", count, "When the action began, in microseconds since its run or cycle began."),
        ("duration_us", count, "How long the action took, in microseconds."),
    ])

    private static let wait = object([
        ("action?", text, "The action that waits."),
        ("state", text, "waiting, retrying or parked."),
        ("signal?", text, "The signal that it waits for."),
        ("run?", text, "The run whose end it waits for."),
        ("deadline_at_ms?", count, "When the wait expires."),
        ("message?", text, "What the gate tells those who decide."),
        ("due_at_ms?", count, "When the action is tried again."),
        ("reason?", text, "Why the run is parked."),
    ])

    private static let endedSignal = object([
        ("signal", text, "The signal's id."),
        ("kind?", text, "gate or signal."),
        ("action?", text, "The action that waited."),
        ("opened_at_ms?", count, "When the wait began."),
        ("message?", text, "What the gate told those who decide."),
        ("state?", text, "approved, rejected, expired or closed."),
        ("by?", text, "The principal that decided."),
        ("via?", text, "The principal that sent the decision for it."),
        ("decided_at_ms?", count, "When it was decided."),
        ("value?", [:], "The value of the approval."),
        ("reason?", text, "The reason of the rejection."),
        ("votes?", list(of: "Vote"), "The votes, in the order in which they came."),
        ("why?", text, "Why it is closed."),
    ])

    private static let origin = object([
        ("run?", text, "The run whose action requested it."),
        ("monitor?", text, "The monitor whose action requested it."),
        ("action?", text, "The action that requested it."),
        ("event?", text, "The event of the worker that requested it."),
        ("causers?", words, "The principals that count as requesters besides."),
    ])

    // MARK: Pipelines

    private static let pipeline = object([
        ("pipeline", text, "The pipeline's name."),
        ("seeds", list(of: "Seed"), "The seeds that a request for a run may give."),
        ("outputs", words, "The keys of the outputs."),
        ("paused?", reference("Pause"), "The pipeline's pause."),
        ("slots?", count, "How many runs of the pipeline may execute at once."),
        ("executing?", count, "How many runs have a slot."),
        ("queued?", count, "How many runs wait for a slot."),
        ("actions?", list(of: "PipelineAction"), "The pipeline's actions."),
    ])

    private static let seed = object([
        ("key", text, "The seed's key."), ("type", text, "The type of its value."),
        ("required", flag, "Whether a request must give it."),
        ("default?", [:], "Its value if a request does not give it."),
        ("secret?", flag, "Whether its value is never shown."),
    ])

    private static let pipelineAction = object(
        [
            ("action", text, "The action's id."),
            ("requires?", words, "The actions that must have completed before."),
            ("gate?", text, "The template of the gate's signal."),
            ("message?", text, "What the gate tells those who decide."),
            ("request?", text, "The pipeline that the action requests a run of."),
            ("wait?", flag, "Whether the action waits for that run."),
        ] + rule
    )

    // MARK: Signals

    /// The members that the rule of a gate adds.
    private static let rule: [Member] = [
        ("allowed?", words, "The principals that may decide."),
        ("allowed_groups?", words, "The groups whose principals may decide."),
        ("requester_may_decide?", flag, "False if the requester of the run may not decide."),
        ("approvals?", count, "How many principals must approve."),
        ("rejections?", count, "How many principals must reject."),
        ("distinct_from?", words, "Earlier gates whose deciders may not decide this one."),
        ("expects?", anyObject, "The values that an approval may or must have."),
        ("remind_ms?", count, "How often watchers are reminded, in milliseconds."),
        ("escalate?", anyObject, "Who else may decide after which time."),
    ]

    private static let signal = object(
        [
            ("signal", text, "The signal's id."),
            ("kind?", text, "gate or signal; absent if nobody has waited for it yet."),
            ("state?", text, "waiting, approved, rejected, expired, closed or buffered; absent in a list."),
            ("run?", text, "The run that waits."),
            ("title?", text, "What the waiting run is about."),
            ("action?", text, "The action that waits."),
            ("process?", text, "The process that announced the signal."),
            ("owner?", text, "Who waits, as a text."),
            ("requester?", text, "Who requested the waiting run."),
            ("opened_at_ms?", count, "When the wait began, in milliseconds since 1970."),
            ("deadline_at_ms?", count, "When the wait expires."),
            ("message?", text, "What the gate tells those who decide."),
            ("you?", text, "Whether the sender may decide: may_decide, voted or may_not."),
            ("escalated?", flag, "Whether more principals may decide now."),
            ("may_decide?", words, "The principals that may decide and have not voted."),
            ("votes?", list(of: "Vote"), "The votes, in the order in which they came."),
            ("by?", ["type": ["string", "array"], "items": ["type": "string"]], "Who decided; several if buffered."),
            ("via?", text, "The principal that sent the decision for the one that decided."),
            ("decided_at_ms?", count, "When the signal was decided."),
            ("value?", [:], "The value of the approval."),
            ("reason?", text, "The reason of the rejection."),
            ("why?", text, "Why the signal is closed."),
            ("decisions?", list(of: "EarlyDecision"), "The early decisions on a buffered signal."),
        ] + rule
    )

    private static let vote = object([
        ("by", text, "The principal."), ("via?", text, "The principal that sent the vote for it."),
        ("decision", text, "approved or rejected."), ("at_ms", count, "When it came, in milliseconds since 1970."),
        ("value?", [:], "The value of the approval."), ("reason?", text, "The reason of the rejection."),
    ])

    private static let earlyDecision = object([
        ("decision", text, "approved or rejected."), ("by", text, "The principal."),
        ("via?", text, "The principal that sent it for the other."),
        ("at_ms", count, "When it came."), ("until_ms", count, "When the worker drops it."),
        ("asked", flag, "Whether the sender asked the worker to keep it."),
    ])

    private static let verdict = object([
        ("signal", text, "The signal's id."),
        ("verdict", text, "delivered, duplicate, counted or buffered; other verdicts are problems."),
        ("have?", count, "The number of votes so far."), ("need?", count, "The number of votes that decides."),
        ("keep_ms?", count, "How long an early decision is kept, in milliseconds."),
        ("run_state?", text, "parked, if the waiting run is parked."),
        ("reason?", text, "Why the waiting run is parked."),
        ("durability?", text, "How durable the verdict is: memory, fsynced or replicated."),
        ("retention_ms?", count, "How long the same request gets this verdict again, in milliseconds."),
    ])

    // MARK: Monitors

    private static let monitor = object([
        ("monitor", text, "The monitor's name."),
        ("topics?", words, "The patterns of the topics that it follows."),
        ("state", text, "idle, owed, running, overdue, excluded; also running, owed and overdue, owed."),
        ("cycles", count, "How many cycles have ended."),
        ("last?", reference("LastCycle"), "The latest ended cycle."),
        ("next_at_ms?", count, "When the next cycle begins."),
        ("failures?", count, "How many cycles in a row have failed."),
        ("failed_at_ms?", count, "When the latest failed cycle ended."),
        ("reason?", text, "The failed actions."),
        ("paused?", reference("Pause"), "The monitor's pause."),
    ])

    private static let lastCycle = object([
        ("began_ago_ms", count, "How long before this answer the cycle began, in milliseconds, rounded up."),
        ("took_ms", count, "How long the cycle took, in milliseconds."),
        ("state", text, "ran, failed or overdue."),
    ])

    private static let pause = object([
        ("by?", text, "Who paused it."), ("via?", text, "The principal that sent the request for the other."),
        ("since_ms", count, "Since when, in milliseconds since 1970."),
        ("until_ms?", count, "When the pause ends by itself."), ("reason?", text, "Why."),
    ])

    private static let notificationAccepted = object([
        ("monitors", count, "How many monitors follow the topic."),
        ("durability", text, "How durable the notification is: memory, fsynced or replicated."),
    ])

    private static let evaluation = object([
        ("monitors", list(of: "MonitorEvaluation"), "The monitors that have evaluated."),
        ("pending", words, "The monitors whose cycle had not ended after the wait."),
    ])

    private static let monitorEvaluation = object([
        ("monitor", text, "The monitor's name."), ("cycle?", count, "The number of the cycle."),
        ("state", text, "ran, failed, overdue or excluded."), ("actions", list(of: "Action"), "The cycle's actions."),
    ])

    // MARK: The worker

    private static let worker = object([
        ("worker", text, "The worker's name."), ("version", text, "The version of its program."),
        ("state", text, "starting, ready or draining."),
        ("durability", text, "The durability of its acknowledgements: memory, fsynced or replicated."),
        ("store?", text, "The identity of its store."),
        ("access?", text, "The digest of its access policy."),
        ("definitions?", text, "The digest of its definitions."),
        ("now_ms", count, "Its clock, in milliseconds since 1970."),
        ("uptime_ms?", count, "How long it has run, in milliseconds."),
        ("checks", anyObject, "Its checks: each is ok or says what it found."),
        ("runs", anyObject, "How many runs are executing, queued, resting and ended."),
        ("signals", count, "How many signals wait."), ("requests", count, "How many requests it keeps."),
        ("monitors", count, "How many monitors it has."),
        ("connections?", count, "How many connections are open."),
        ("requested_runs?", count, "How many requested runs have not begun."),
        ("failing?", list(of: "Monitor"), "The monitors that fail."),
        ("failing_events?", ["type": "array", "items": anyObject], "The pipelines whose runs for events fail."),
        ("paused?", ["type": "array", "items": anyObject], "The pauses."),
        ("counters?", anyObject, "What it has counted since it started."), ("limits", anyObject, "Its limits."),
    ])

    private static let outputEntry = object([
        ("at_ms", count, "When the attempt ended, in milliseconds since 1970."), ("action", text, "The action."),
        ("attempt", count, "The number of the attempt, from 1."), ("reason?", text, "Why the attempt failed."),
        ("output?", text, "The end of standard output."), ("errors?", text, "The end of standard error."),
        ("output_omitted?", count, "How many bytes of the output's beginning are left out."),
        ("errors_omitted?", count, "How many bytes of the errors' beginning are left out."),
    ])

    private static let historyEntry = object([
        ("at_ms", count, "When it happened, in milliseconds since 1970."), ("event", text, "What happened."),
        ("run?", text, "The run."), ("signal?", text, "The signal."), ("monitor?", text, "The monitor."),
        ("principal?", text, "Who caused it."), ("request?", text, "The id of the request that caused it."),
        ("source?", text, "The label of that request's sender."),
    ])

    private static let report = object([
        ("state", text, "What became of the request, or the state of the run."), ("run?", text, "The run's id."),
        ("durability?", text, "How durable the answer is: memory, fsynced or replicated."),
        ("retention_ms?", count, "How long the same request gets this answer again, in milliseconds."),
    ])

    // MARK: The fleet

    private static let fleetReport = object([
        ("outcome", text, "The worst of all: good, nothing, refused, open or bad."),
        ("workers", count, "How many workers there are."), ("counts", anyObject, "How many workers are in each state."),
        ("items", list(of: "FleetLine"), "A line for each worker or monitor, exceptions first."),
    ])

    private static let fleetLine = object([
        ("worker", text, "The worker's name."), ("state", text, "Its state, or that of the monitor."),
        ("subject?", text, "The monitor or run."), ("reason?", text, "Why."),
        ("began_ago_ms?", count, "How long ago the latest cycle began, in milliseconds."),
        ("failures?", count, "How many cycles in a row have failed."),
        ("failed_at_ms?", count, "When the latest failed cycle ended."),
        ("paused?", reference("Pause"), "The monitor's pause."), ("details?", anyObject, "More about it."),
    ])

    private static let rollOutAccepted = object([
        ("id", text, "The id of the roll-out."), ("state", text, "running."),
    ])

    // MARK: Problems

    private static let problem = object([
        ("type", ["type": "string", "format": "uri-reference"], "Where the code is explained."),
        ("title", text, "The code's meaning."), ("status", ["type": "integer"], "The status of the answer."),
        ("detail", text, "What is wrong."), ("code", text, "The error's code, for programs."),
        ("next", text, "The next move, for people."),
        ("retryable", flag, "Whether the same request with the same Idempotency-Key can succeed later."),
        ("retry_after_ms?", ["type": "integer"], "After which time it can, in milliseconds."),
    ])
}

extension Route {
    /// The tag under which the OpenAPI document lists the route: the first word of its path.
    var tag: String { String(path.description.split(separator: "/").dropFirst().first ?? "") }

    /// The name of the schema of the object that the route answers first.
    var schema: String {
        if fleet != nil { return "FleetReport" }
        switch answer {
        case .verdict: return "Verdict"
        case .change: return "Evaluation"
        case .run: return "RunResult"
        case .report: return "FleetReport"
        case .followedRun: return "Run"
        case .item where method == .post: return "Report"
        case .item, .page, .events: break
        }
        let kind = subject.prefix { $0 != "/" }
        let names = [
            "run": "Run", "runs": "Run", "pipeline": "Pipeline", "pipelines": "Pipeline", "signal": "Signal",
            "signals": "Signal", "monitor": "Monitor", "monitors": "Monitor", "output": "Output", "history": "History",
            "worker": "Worker",
        ]
        let name = names[String(kind)] ?? ""
        if case .page = answer { return name + "Page" }
        return name
    }
}
