import ForgeBusProtocol

/// The shapes of the objects in the API's answers, as schemas of the OpenAPI document.
///
/// Protocol.md says what each member means to the bus, and when it is absent. A worker may add members.
enum Schemas {
    /// All schemas by their names.
    static let all: JSONObject = {
        var all = DeclaredItems.schemas
        for kind in ["Run", "Pipeline", "Signal", "Monitor"] { all["\(kind)Page"] = page(of: kind) }
        for schema in [
            RunAcceptedMembers.all.named,
            RunResultMembers.all.named,
            VerdictMembers.all.named,
            ReportMembers.all.named,
            NotificationAcceptedMembers.all.named,
            EvaluationMembers.all.named,
            MonitorEvaluationMembers.all.named,
            FleetReportMembers.all.named,
            FleetLineMembers.all.named,
            RollOutAcceptedMembers.all.named,
            ProblemMembers.all.named,
        ] { all[schema.key] = schema.value }
        return all
    }()

    /// A reference to one of them.
    static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }

    private static func page(of name: String) -> JSONValue {
        [
            "type": "object", "required": ["items"],
            "properties": [
                "items": ["type": "array", "items": reference(name), "description": "The items of the page."],
                "cursor": [
                    "type": "string", "description": "Where the next page begins; absent on the last page.",
                ],
            ],
        ]
    }
}

/// The answer to a run that is accepted.
private struct RunAcceptedMembers: ItemMembers {
    static let all = DeclaredMembers(Self())

    let run = Member<String>("run", "The run's id.")
    let state = RequiredMember<String>("state", "accepted, or the state of the run after the wait.")
}

/// RESULT of the bus.
private struct RunResultMembers: ItemMembers {
    static let all = DeclaredMembers(Self())

    let run = RequiredMember<String>("run", "The run's id.")
    let state = RequiredMember<String>("state", "completed, failed, timed_out, cancelled or lost.")
    let reason = Member<String>("reason", "Why the run ended in this state.")
    let actions = RequiredMember<[ActionOutcome]>("actions", "The actions, in the order in which they started.")
    let outputs = RequiredMember<JSONObject>("outputs", "The outputs that the run has set.")
    let abandoned = Member<[String]>("abandoned", "The actions that had not returned when the run ended.")
}

/// VERDICT of the bus.
private struct VerdictMembers: ItemMembers {
    static let all = DeclaredMembers(Self())

    let signal = RequiredMember<String>("signal", "The signal's id.")
    let verdict = RequiredMember<String>(
        "verdict",
        "delivered, duplicate, counted or buffered; other verdicts are problems."
    )
    let have = Member<Int>("have", "The number of votes so far.")
    let need = Member<Int>("need", "The number of votes that decides.")
    let keepMs = Member<Int>("keep_ms", "How long an early decision is kept, in milliseconds.")
    let runState = Member<String>("run_state", "parked, if the waiting run is parked.")
    let reason = Member<String>("reason", "Why the waiting run is parked.")
    let durability = Member<String>("durability", "How durable the verdict is: memory, fsynced or replicated.")
    let retentionMs = Member<Int>(
        "retention_ms",
        "How long the same request gets this verdict again, in milliseconds."
    )
}

/// OK of the bus.
private struct ReportMembers: ItemMembers {
    static let all = DeclaredMembers(Self())

    let state = RequiredMember<String>("state", "What became of the request, or the state of the run.")
    let run = Member<String>("run", "The run's id.")
    let durability = Member<String>("durability", "How durable the answer is: memory, fsynced or replicated.")
    let retentionMs = Member<Int>(
        "retention_ms",
        "How long the same request gets this answer again, in milliseconds."
    )
}

/// ACCEPTED of the bus, for a notification.
private struct NotificationAcceptedMembers: ItemMembers {
    static let all = DeclaredMembers(Self())

    let monitors = RequiredMember<Int>("monitors", "How many monitors follow the topic.")
    let durability = RequiredMember<String>(
        "durability",
        "How durable the notification is: memory, fsynced or replicated."
    )
}

/// EVALUATED of the bus.
private struct EvaluationMembers: ItemMembers {
    static let all = DeclaredMembers(Self())

    let monitors = RequiredMember<[Item<MonitorEvaluationMembers>]>("monitors", "The monitors that have evaluated.")
    let pending = RequiredMember<[String]>("pending", "The monitors whose cycle had not ended after the wait.")
}

/// A monitor in EVALUATED.
private struct MonitorEvaluationMembers: ItemMembers {
    static let all = DeclaredMembers(Self())

    let monitor = RequiredMember<String>("monitor", "The monitor's name.")
    let cycle = Member<Int>("cycle", "The number of the cycle.")
    let state = RequiredMember<String>("state", "ran, failed, overdue or excluded.")
    let actions = RequiredMember<[ActionOutcome]>("actions", "The cycle's actions.")
}

/// What the workers of a fleet have said.
private struct FleetReportMembers: ItemMembers {
    static let all = DeclaredMembers(Self())

    let outcome = RequiredMember<String>("outcome", "The worst of all: good, nothing, refused, open or bad.")
    let workers = RequiredMember<Int>("workers", "How many workers there are.")
    let counts = RequiredMember<JSONObject>("counts", "How many workers are in each state.")
    let items = RequiredMember<[Item<FleetLineMembers>]>(
        "items",
        "A line for each worker or monitor, exceptions first."
    )
}

/// A worker of a fleet, or one of its monitors or runs.
private struct FleetLineMembers: ItemMembers {
    static let all = DeclaredMembers(Self())

    let worker = RequiredMember<String>("worker", "The worker's name.")
    let state = RequiredMember<String>("state", "Its state, or that of the monitor.")
    let subject = Member<String>("subject", "The monitor or run.")
    let reason = Member<String>("reason", "Why.")
    let beganAgoMs = Member<Int>("began_ago_ms", "How long ago the latest cycle began, in milliseconds.")
    let failures = Member<Int>("failures", "How many cycles in a row have failed.")
    let failedAtMs = Member<Int>("failed_at_ms", "When the latest failed cycle ended.")
    let paused = Member<PauseItem>("paused", "The monitor's pause.")
    let details = Member<JSONObject>("details", "More about it.")
}

/// The answer to a roll-out that has begun.
private struct RollOutAcceptedMembers: ItemMembers {
    static let all = DeclaredMembers(Self())

    let id = RequiredMember<String>("id", "The id of the roll-out.")
    let state = RequiredMember<String>("state", "running.")
}

/// An error.
private struct ProblemMembers: ItemMembers {
    static let all = DeclaredMembers(Self())

    let type = RequiredMember<String>(
        "type",
        "Where the code is explained.",
        schema: ["type": "string", "format": "uri-reference"]
    )
    let title = RequiredMember<String>("title", "The code's meaning.")
    let status = RequiredMember<Int>("status", "The status of the answer.", schema: ["type": "integer"])
    let detail = RequiredMember<String>("detail", "What is wrong.")
    let code = RequiredMember<String>("code", "The error's code, for programs.")
    let next = RequiredMember<String>("next", "The next move, for people.")
    let retryable = RequiredMember<Bool>(
        "retryable",
        "Whether the same request with the same Idempotency-Key can succeed later."
    )
    let retryAfterMs = Member<Int>(
        "retry_after_ms",
        "After which time it can, in milliseconds.",
        schema: ["type": "integer"]
    )
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
