import ForgeBusProtocol
import ForgeBusWorker

// Actions: which keys an action has depends on its owner and its kind.
extension Shape {
    private static let day = Duration.seconds(86_400)

    /// The keys of every kind of action.
    static let anyAction = [
        Key("id", .text("an id"), need: "each action has an id", at: "all", "id, unique in its list"),
        Key(
            "priority",
            .choice(["critical", "high", "medium", "low"]),
            usual: "`medium`",
            at: "all",
            "the order of execution; actions of equal priority keep the order of the file"
        ),
        Key(
            "when",
            .command,
            usual: "always",
            at: "all",
            "command that decides whether the action runs, or whether the gate is needed"
        ),
        Key(
            "timeout",
            .time(.milliseconds(1)...day),
            usual: "1m",
            at: "all",
            "how long each of the action's commands may take"
        ),
        Key(
            "env",
            .named(.text("a text as the value of the variable")),
            at: "all",
            "mapping of variables to texts; names that begin with `FORGE_` are reserved for the worker"
        ),
    ]

    static let runKeys = [
        Key("run", .command, usual: "required", at: "all but gates, posts and requests", "command")
    ]

    static let postKeys = [
        Key(
            "post",
            .text("a URL"),
            usual: "",
            at: "pipelines, monitors",
            "URL: makes the action send an HTTP POST, see *Posts*"
        ),
        Key(
            "send",
            .named(.any),
            usual: "`{}`",
            at: "posts",
            "mapping of names to values: the JSON object that is sent, see *Posts*"
        ),
        Key(
            "secret_file",
            .text("the path of a file"),
            usual: "no signature",
            at: "posts",
            "path of a file, relative to this one, with the secret that signs the request, see *Posts*"
        ),
    ]

    static let requestKeys = [
        Key(
            "request",
            .name("the name of a pipeline"),
            usual: "",
            at: "pipelines, monitors",
            "name of a pipeline of this file: makes the action request a run of it, see *Requests*"
        ),
        Key(
            "seeds",
            .named(.any),
            at: "requests",
            "mapping of seeds of that pipeline to values, each a constant or one placeholder"
        ),
    ]

    static let waitKeys = [
        Key(
            "wait",
            .flag,
            usual: "`false`",
            at: "requests of pipelines",
            "whether the action waits for the end of the run"
        )
    ]

    static let gateKeys = [
        Key(
            "gate",
            .mapping(.gate),
            usual: "",
            at: "pipelines",
            "mapping: makes the action a gate that waits for a decision; `{}` for a gate without further keys"
        )
    ]

    static let requireKeys = [
        Key(
            "requires",
            .list(.text("the id of an action"), isEmpty: true),
            usual: "every gate that runs earlier",
            at: "pipelines",
            "list of ids of actions that must have completed; `[]` requires nothing"
        )
    ]

    static let policyKeys = [
        Key(
            "retry",
            .mapping(.retry),
            usual: "once",
            at: "pipelines, except gates",
            "how often the action is tried, see below"
        ),
        Key(
            "on_failure",
            .choice(["proceed", "park"]),
            usual: "`proceed`",
            at: "pipelines, except gates",
            "what happens when the last attempt fails"
        ),
    ]

    static let retry = Shape(
        "`retry`",
        [
            Key(
                "attempts",
                .integer(1...1_000),
                need: "it is the total number of attempts, including the first",
                "the total number of attempts, including the first"
            ),
            Key(
                "backoff",
                .time(.zero...Duration.seconds(300)),
                usual: "1s",
                "the pause before the second attempt; it doubles before each further attempt, up to 5m"
            ),
        ]
    )

    /// All keys that an action of a pipeline can have, whatever its kind.
    static let pipelineAction = Shape(
        "a pipeline's action",
        anyAction + runKeys + postKeys + requestKeys + waitKeys + gateKeys + requireKeys + policyKeys
    )
    static let monitorAction = Shape("a monitor's action", anyAction + runKeys + postKeys + requestKeys)
    static let startupAction = Shape("a startup action", anyAction + runKeys)

    static let gate = Shape(
        "a gate",
        [
            Key(
                "message",
                .text("a text as the message to those who decide"),
                "the text that people see when they decide, 1 to 4096 bytes; `{run.id}`, `{seed.NAME}` and `{value.NAME}` are "
                    + "replaced in it"
            ),
            Key("deadline", .time(.milliseconds(1)...year), usual: "never", "when an undecided gate expires"),
            Key(
                "allowed",
                deciders,
                usual: "everybody who may complete its signal",
                "list of principals, and of groups written `{group: NAME}`, at least one, that may decide it; only with keys"
            ),
            Key(
                "requester_may_decide",
                .flag,
                usual: "`true`",
                "whether the principal that requested the run may decide; `false` only with keys"
            ),
            Key(
                "approvals",
                .integer(1...GateRule.mostVotes),
                usual: "1",
                "how many principals must approve; more than 1 only with keys"
            ),
            Key(
                "rejections",
                .integer(1...GateRule.mostVotes),
                usual: "1",
                "how many principals must reject the gate before it is rejected; more than 1 only with keys"
            ),
            Key(
                "distinct_from",
                .list(.text("the id of a gate")),
                "list of ids of gates that this gate requires, directly or through other actions: a principal that decided one "
                    + "of them may not decide this gate; only with keys"
            ),
            Key(
                "value",
                .named(.mapping(.member)),
                usual: "any value",
                "mapping of keys to `{type: …, required: …}`: the keys that the value of an approval may or must have; the "
                    + "types are those of seeds; `{}` means no value"
            ),
            Key(
                "remind",
                .time(.seconds(60)...year),
                usual: "no reminders",
                "the time between two reminders while the gate waits"
            ),
            Key(
                "escalate",
                .mapping(.escalation),
                usual: "nobody",
                "`{after: …, allowed: […]}`: after the gate has waited for `after`, the principals and groups in this list may "
                    + "decide, too; only for a gate with `allowed` of its own"
            ),
            Key(
                "signal",
                .text("the id of a signal"),
                usual: "`PIPELINE.ACTION.{run.id}`",
                "the id of the signal that the gate waits for, in which `{run.id}` and `{seed.NAME}` are replaced: for services "
                    + "that complete it by a known id"
            ),
        ]
    )

    private static let deciders = Form.list(.either([.text("the name of a principal"), .mapping(.group)]))

    static let group = Shape(
        "an entry of `allowed`",
        [
            Key(
                "group",
                .text("the name of a group"),
                need: "it is the name of a group of the access file",
                "the name of a group of the access file"
            )
        ]
    )

    static let escalation = Shape(
        "an escalation",
        [
            Key(
                "after",
                .time(.milliseconds(1)...year),
                need: "it is the time after which more principals may decide",
                "the time after which more principals may decide"
            ),
            Key(
                "allowed",
                deciders,
                need: "it names the principals and groups that may also decide after `after`",
                "the principals and groups that may then decide, too"
            ),
        ]
    )

    static let member = Shape(
        "an entry of `value`",
        [
            Key("type", types, need: "its value is one of \(ValueType.names)", "the type of the value"),
            Key("required", .flag, usual: "`false`", "whether each approval must have the value"),
        ]
    )
}
