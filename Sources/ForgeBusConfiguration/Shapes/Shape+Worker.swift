import ForgeBusProtocol
import ForgeBusWorker

// The top of a worker file, and its settings.
extension Shape {
    static let workerFile = Shape(
        "a worker file",
        [
            Key("worker", .mapping(.worker), "the settings below; optional"),
            Key("monitors", .named(.mapping(.monitor)), "a mapping of names to monitors; optional"),
            Key("pipelines", .named(.mapping(.pipeline)), "a mapping of names to pipelines; optional"),
            Key("startup", .list(.mapping(.startupAction)), "a list of actions; optional"),
            Key(
                "on",
                .mapping(.events),
                "a mapping of events to the pipelines that they request, see *Events*; optional"
            ),
            Key(
                "webhooks",
                .named(.mapping(.webhook)),
                "a mapping of names to webhooks; only a gateway uses them; optional"
            ),
        ]
    )

    static let events = Shape(
        "`on`",
        WorkerEvent.allCases.map { Key($0.rawValue, .name("the name of a pipeline"), "") }
    )

    static let worker = Shape(
        "`worker`",
        [
            Key("name", .name("a name"), usual: "`forgebus`", "name: the worker's name"),
            Key(
                "store",
                .text("`memory`, the path of a file, or the URL of a PostgreSQL database"),
                usual: "``DefaultStore``",
                "text: the store's path, relative to the file; the URL of a PostgreSQL database; or `memory`; see below"
            ),
            Key(
                "replicated",
                .flag,
                usual: "`false`",
                "with a store in PostgreSQL, whether each change must also be on the disk of a synchronous replica before it "
                    + "is acknowledged"
            ),
            Key(
                "listen",
                endpoints,
                usual: "``DefaultEndpoint``",
                "list of endpoints: `ipc:///path`, `tcp` on a loopback address, or, for a worker with keys, `tcp` on any "
                    + "address"
            ),
            Key("publications", .mapping(.publications), "the sources of published notifications, see below"),
            Key(
                "previous",
                .mapping(.previous),
                "the endpoints of the worker's previous key while clients change to the new one, see below; only with "
                    + "`--previous-certificate`"
            ),
            Key(
                "public_url",
                .text("an address such as https://bus.example.org"),
                "text: the address of a web site of yours that shows this worker, `https://` or `http://`; the seed `url` of "
                    + "events links to its pages, see *Events*"
            ),
        ] + NumberSetting.times.map(\.key) + [
            Key(
                "store_limits",
                .mapping(.storeLimits),
                usual: "see below",
                "mapping: how much a store on disk keeps"
            ),
            Key("limits", .mapping(.limits), usual: "see below", "mapping: the worker's limits"),
        ]
    )

    private static let endpoints = Form.list(.text("an endpoint"))

    static let publications = Shape(
        "`publications`",
        [
            Key("bind", endpoints, "list of endpoints that publishers connect to, of the same kinds as for `listen`"),
            Key(
                "connect",
                .list(.either([.text("an endpoint"), .mapping(.publisher)])),
                "list of publishers that the worker connects to: without keys, the endpoints of publishers on this machine; "
                    + "with keys, a mapping for each publisher, see below"
            ),
        ]
    )

    static let publisher = Shape(
        "a publisher",
        [
            Key(
                "endpoint",
                .text("an endpoint"),
                need: "the publisher has bound it",
                "the endpoint that the publisher has bound: `ipc` or `tcp` on any address"
            ),
            Key(
                "principal",
                .name("the name of a principal"),
                need: "the rights of this principal apply",
                "name: the publications count as coming from this principal, and need its right to `notify`"
            ),
            Key(
                "key",
                .text("a public key in quotation marks"),
                need: "the worker connects only to a publisher that holds it",
                "the publisher's public key, in quotation marks: one of the principal's keys in the access file"
            ),
        ]
    )

    static let previous = Shape(
        "`previous`",
        [
            Key(
                "listen",
                endpoints,
                "list of endpoints where clients with the previous key connect: `ipc` or `tcp` on any address; see "
                    + "<doc:TheAccessFile#Replacing-the-key-of-a-worker>"
            ),
            Key("publications", endpoints, "list of endpoints that publishers with the previous key connect to"),
        ]
    )

    static let storeLimits = Shape("`store_limits`", NumberSetting.storeLimits.map(\.key))
    static let limits = Shape("`limits`", NumberSetting.limits.map(\.key))
}
