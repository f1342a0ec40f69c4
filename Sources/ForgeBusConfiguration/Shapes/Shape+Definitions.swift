import ForgeBusProtocol
import ForgeBusWorker

// Monitors, pipelines and webhooks.
extension Shape {
    private static let day = Duration.seconds(86_400)
    static let year = day * 365

    static let monitor = Shape(
        "a monitor",
        [
            Key(
                "topics",
                .list(.text("a pattern of topics")),
                need: "a monitor follows at least one topic",
                "list of patterns, at least one: `*` matches one token, a final `>` one or more"
            ),
            Key(
                "interval",
                .time(.milliseconds(1)...year),
                "at the end of each such interval after the cycle at the start, the monitor begins a cycle, also without a "
                    + "notification; if another cycle runs then, or if no cycle may begin, this cycle is left out; if "
                    + "`minimum_gap` has not passed yet, this cycle waits"
            ),
            Key(
                "minimum_gap",
                .time(.zero...day),
                usual: "100ms",
                "shortest time between the starts of two cycles"
            ),
            Key("debounce", .mapping(.debounce), "how long a cycle waits for further notifications, see below"),
            Key("time_limit", .time(.milliseconds(1)...day), usual: "1m", "how long a cycle may take"),
            Key(
                "excluded_screens",
                .list(.text("a text"), isEmpty: true),
                "list of texts: the screens during which no cycle begins. A *screen* is a name that MODE sets for a time, such "
                    + "as `deployment`"
            ),
            Key(
                "machine",
                .flag,
                usual: "`false`",
                "`true` for a monitor that examines the machine on which the worker runs; another machine must not take it "
                    + "over, so it forbids a store in PostgreSQL"
            ),
            Key(
                "actions",
                .list(.mapping(.monitorAction)),
                need: "a monitor has at least one action",
                "list of actions"
            ),
        ]
    )

    static let debounce = Shape(
        "`debounce`",
        [
            Key(
                "quiet",
                .time(.milliseconds(1)...day),
                need: "it is the time without notifications before a cycle",
                "the time without a notification after which a cycle starts"
            ),
            Key(
                "at_most",
                .time(.milliseconds(1)...day),
                need: "it is the longest wait from the first notification to the cycle",
                "the time after the first notification at which the cycle starts at the latest, not less than `quiet`"
            ),
        ]
    )

    static let pipeline = Shape(
        "a pipeline",
        [
            Key(
                "title",
                .text("a text that says what a run is about"),
                "what a run is about, as people see it wherever the run is shown, such as `Deploy {seed.version}`; `{seed.NAME}` "
                    + "and `{run.id}` are replaced in it"
            ),
            Key(
                "slots",
                .integer(1...10_000),
                usual: "32",
                "runs of the pipeline that execute at the same time; a run that waits at a gate uses no slot"
            ),
            Key(
                "one_per",
                .either([.text("a template of a key"), .mapping(.onePer)]),
                "the key with which only one run at a time has begun, such as `\"{seed.environment}\"`, or a mapping; see *One "
                    + "at a time*"
            ),
            Key(
                "priority",
                .integer(-1_000_000...1_000_000),
                usual: "0",
                "when all slots of the worker are taken, the next free slot goes to the pipeline with the highest priority"
            ),
            Key(
                "checkpoint",
                .choice(["relaxed", "strict"]),
                usual: "`relaxed`",
                "when the next action of a run begins: `relaxed` means immediately, `strict` means after the end of the "
                    + "previous action is stored"
            ),
            Key(
                "seeds",
                .named(.mapping(.seed)),
                "mapping of names to seeds, the first values of a run's context; a request with any other seed is refused"
            ),
            Key(
                "outputs",
                .list(.text("a text"), isEmpty: true),
                "list of the context's keys that the result contains, at most 921600 bytes of JSON in all; a run with more "
                    + "fails"
            ),
            Key(
                "on",
                .mapping(.events),
                "mapping of events of the pipeline's runs to the pipelines that they request, see *Events*; for an event that "
                    + "is missing here, `on` at the top applies; `monitor_failed` is not allowed here"
            ),
            Key(
                "actions",
                .list(.mapping(.pipelineAction)),
                need: "a pipeline has at least one action",
                "list of actions"
            ),
        ]
    )

    static let onePer = Shape(
        "`one_per`",
        [
            Key(
                "key",
                .text("a template of a key"),
                need: "runs with the same key execute one at a time",
                "the template of the key: `{seed.NAME}` is replaced by the seed, a missing seed by nothing; at most 256 bytes "
                    + "when filled"
            ),
            Key(
                "group",
                .name("the name of a group"),
                "the pipelines with the same `group` share their keys; without it, the keys are those of the one pipeline"
            ),
            Key(
                "then",
                .choice(OnePer.Newcomer.allCases.map(\.rawValue)),
                usual: "`queue`",
                "what happens to a new run while another run has its key: `queue` lets it wait, `supersede` ends the older "
                    + "runs, `refuse` refuses it"
            ),
        ]
    )

    static let seed = Shape(
        "a seed",
        [
            Key("type", types, need: "its value is one of \(ValueType.names)", "the type of the value"),
            Key(
                "required",
                .flag,
                usual: "`true`, if there is no `default`",
                "with `false` and no `default`, the context lacks the key if a request does not give it"
            ),
            Key("default", .any, "a value of that type, used if a request does not give the seed"),
            Key(
                "secret",
                .flag,
                usual: "`false`",
                "with `true`, the value appears in no answer, history, log, export or message; see below"
            ),
        ]
    )

    static let types = Form.choice(ValueType.allCases.map(\.rawValue))

    static let webhook = Shape(
        "a webhook",
        [
            Key(
                "signature",
                .choice(["github", "gitlab", "standard"]),
                need:
                    "its value is `github`, `gitlab`, or `standard` for a service that follows the rules of Standard Webhooks",
                "`github`, `gitlab`, or `standard` for *Standard Webhooks*"
            ),
            Key(
                "secret_file",
                .text("the path of a file"),
                need: "it is the path of a file with the service's secret",
                "path of a file with the secret that both sides have, relative to this file; other users may not read it"
            ),
            Key(
                "events",
                .list(.text("a text"), isEmpty: true),
                usual: "all",
                "list of names of events; others have no effect"
            ),
            Key(
                "only",
                .named(.any),
                usual: "all",
                "mapping of places in the delivery, such as `body.action`, to the value, or the list of values, that has an "
                    + "effect; others are ignored"
            ),
            Key(
                "topic",
                .text("a topic"),
                usual: "",
                "the topic of the notification, whose body is the delivery; `{event}` in it stands for the event"
            ),
            Key("run", .name("the name of a pipeline"), usual: "", "the pipeline of the run, in place of `topic`"),
            Key(
                "seeds",
                .named(.any),
                "mapping of seeds to values: constants, `{event}`, `{delivery}`, `{body}`, or `{body.KEY.KEY}` for a part of "
                    + "the JSON body, where a KEY may be the index of an array; a part that is missing leaves its seed out"
            ),
            Key(
                "as",
                .name("the name of a principal"),
                "the principal for which the gateway sends the request; required if the worker has keys, and the gateway needs "
                    + "`act_as` for it"
            ),
        ]
    )
}
