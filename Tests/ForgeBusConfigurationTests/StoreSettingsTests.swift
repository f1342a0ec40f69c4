import ForgeBusWorker
import Foundation
import TestSupport
import Testing

@testable import ForgeBusConfiguration

@Suite("The store of a worker")
struct StoreSettingsTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func file(_ yaml: String, _ environment: [String: String] = [:], said: String? = nil) throws -> WorkerFile {
        var overrides = WorkerSettings()
        overrides.store = said
        return try WorkerFile(
            yaml: yaml,
            name: "w",
            directory: directory.path,
            environment: environment,
            overrides: overrides
        )
    }

    @Test("is a file in the state directory, by the worker's name, if nobody says otherwise")
    func byDefault() throws {
        let environment = ["XDG_STATE_HOME": directory.path]
        let unnamed = try file("pipelines: {}", environment)
        #expect(unnamed.store == .file(directory.file("forgebus/forgebus.sqlite")))
        #expect(unnamed.storesAtDefault)
        let named = try file("worker: {name: eu.shop}", environment)
        #expect(named.store == .file(directory.file("forgebus/eu.shop.sqlite")))
        let renamed = try file("worker: {name: a}", environment.merging(["FORGEBUS_NAME": "b"]) { $1 })
        #expect(renamed.store == .file(directory.file("forgebus/b.sqlite")))
    }

    @Test("is what the file says, before that what the environment says, before that what was said at the start")
    func layers() throws {
        let yaml = "worker: {store: kept.sqlite}"
        let beside = URL(fileURLWithPath: directory.file("kept.sqlite")).standardizedFileURL.path
        let fromFile = try file(yaml)
        // A path of the file is relative to the file, any other to where the worker was started.
        #expect(fromFile.store == .file(beside))
        #expect(!fromFile.storesAtDefault)
        #expect(try file(yaml, ["FORGEBUS_STORE": "other.sqlite"]).store == .file("./other.sqlite"))
        #expect(try file(yaml, ["FORGEBUS_STORE": ""]).store == .file(beside))
        #expect(try file(yaml, ["FORGEBUS_STORE": "/a/b"]).store == .file("/a/b"))
        #expect(try file(yaml, ["FORGEBUS_STORE": "/a/b"], said: "/c").store == .file("/c"))
        #expect(try file("worker: {store: /a/b}").store == .file("/a/b"))
    }

    @Test("is nowhere where one of them says memory")
    func memory() throws {
        #expect(try file("worker: {store: memory}").store == .memory)
        #expect(try file("worker: {store: /a/b}", ["FORGEBUS_STORE": "memory"]).store == .memory)
        #expect(try file("worker: {store: /a/b}", said: "memory").store == .memory)
        #expect(try file("worker: {store: memory}", said: "./memory").store == .file("././memory"))
        #expect(try !file("worker: {store: memory}").storesAtDefault)
    }

    @Test("is a database where a URL says so, if the worker has a name that can begin the ids of runs")
    func database() throws {
        let url = "postgres://forgebus@db.example/forgebus?sslmode=verify-full"
        #expect(try file("worker: {name: deploys, store: \"\(url)\"}").store == .postgreSQL(url))
        #expect(try file("worker: {name: deploys}", said: url).store == .postgreSQL(url))
        #expect(try file("worker: {name: deploys}", ["FORGEBUS_STORE": "postgresql://a/b"]).store != .memory)
        let long = String(repeating: "n", count: 33)
        for (yaml, url, expected) in [
            ("pipelines: {}", url, Errors.unnamedWorker),
            ("worker: {name: eu.shop}", url, Errors.nameNotForDatabase("eu.shop")),
            ("worker: {name: \(long)}", url, Errors.nameNotForDatabase(long)),
            ("worker: {name: a}", "postgres://forgebus:secret@db.example/forgebus", Errors.passwordInURL),
            ("worker: {name: a}", "postgres://db.example/forgebus?user=a&password=secret", Errors.passwordInURL),
        ] {
            let error = #expect(throws: ConfigurationError.self) { try file(yaml, said: url) }
            #expect(error == expected, "\(error?.description ?? "")")
            #expect(error?.description.contains("secret") == false)
        }
        let variable = #expect(throws: ConfigurationError.self) {
            try file("worker: {name: a, store: \"postgres://$USER:secret@db.example/forgebus\"}")
        }
        #expect(variable?.key == "worker.store" && variable?.code == .badValue)
        #expect(variable?.description.contains("secret") == false)
    }

    @Test("is replicated where the file says so, which only a database can be")
    func replicated() throws {
        let url = "postgres://db.example/forgebus"
        #expect(try file("worker: {name: a, replicated: true}", said: url).storeLimits.isReplicated)
        #expect(try !file("worker: {name: a}", said: url).storeLimits.isReplicated)
        let error = #expect(throws: ConfigurationError.self) { try file("worker: {replicated: true}", said: "/a/b") }
        #expect(error == Errors.replicatedFile)
    }

    @Test("cannot be a database where a monitor examines its own machine")
    func machine() throws {
        let yaml = "monitors: {disk: {topics: [disk.>], machine: true, actions: [{id: look, run: [df]}]}}"
        #expect(try file("\(yaml)\nworker: {name: a}").monitors.count == 1)
        let error = #expect(throws: ConfigurationError.self) {
            try file("\(yaml)\nworker: {name: a}", said: "postgres://db.example/forgebus")
        }
        #expect(error?.key == "monitors.disk.machine")
        #expect(error?.message == Errors.monitorMustStay.message)
        let other = yaml.replacing("machine: true", with: "machine: false")
        #expect(try file("\(other)\nworker: {name: a}", said: "postgres://db.example/forgebus").monitors.count == 1)
    }

    @Test("knows the definitions of the file, which change with what the worker does, and with nothing else")
    func definitions() throws {
        let yaml =
            "pipelines: {p: {actions: [{id: a, run: [x]}]}}\nmonitors: {m: {topics: [t], actions: [{id: a, run: [x]}]}}"
        let text = try file(yaml).configuration.definitions
        for same in ["\(yaml)\nworker: {name: other, lease: 5s}", "# Much ado.\n\(yaml)\n"] {
            #expect(try file(same).configuration.definitions == text)
        }
        for other in [
            yaml.replacing("run: [x]}]}}\n", with: "run: [y]}]}}\n"),
            yaml.replacing("topics: [t]", with: "topics: [u]"),
            "\(yaml)\nstartup: [{id: s, run: [x]}]",
        ] { #expect(try file(other).configuration.definitions != text, "\(other)") }
    }

    @Test("needs a directory only where it is the default, and that is made for nobody else to get in")
    func prepared() throws {
        let environment = ["XDG_STATE_HOME": directory.path, "XDG_RUNTIME_DIR": directory.path]
        let listening = "worker: {listen: [\"ipc:///tmp/forgebus-test-none\"]}"
        try file(listening, environment, said: "memory").prepare()
        try file(listening, environment, said: "/nowhere/a").prepare()
        #expect(!directory.has("forgebus"))
        for _ in 1...2 { try file(listening, environment).prepare() }
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.file("forgebus"))
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
}

@Suite("The default store")
struct DefaultStoreTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "is in the state directory of the service, else of the user",
        arguments: [
            (["STATE_DIRECTORY": "/s", "XDG_STATE_HOME": "/x", "HOME": "/h"], "/s/w.sqlite"),
            (["STATE_DIRECTORY": "/s:/t", "HOME": "/h"], "/s/w.sqlite"),
            (["STATE_DIRECTORY": "s", "XDG_STATE_HOME": "/x", "HOME": "/h"], "/x/forgebus/w.sqlite"),
            (["STATE_DIRECTORY": "", "XDG_STATE_HOME": "x", "HOME": "/h"], "/h/.local/state/forgebus/w.sqlite"),
            (["HOME": "/h"], "/h/.local/state/forgebus/w.sqlite"),
            ([:], "/tmp/forgebus-\(geteuid())/w.sqlite"),
        ]
    )
    func path(_ environment: [String: String], _ path: String) {
        #expect(DefaultStore.path(of: "w", environment: environment) == path)
    }

    @Test("has its directory made, with what that stands in, in a home that is new")
    func newHome() throws {
        let environment = ["HOME": directory.file("home")]
        for _ in 1...2 { try DefaultStore.prepare(environment: environment) }
        let path = directory.file("home/.local/state/forgebus")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test("is refused where others could get in, or where something else is")
    func refuses() throws {
        let environment = ["XDG_STATE_HOME": directory.path]
        func refusal() -> ConfigurationError? {
            #expect(throws: ConfigurationError.self) { try DefaultStore.prepare(environment: environment) }
        }
        let path = directory.file("forgebus")
        try directory.write("", to: "forgebus")
        #expect(refusal()?.message == Errors.notDirectory(path, or: "").message)
        #expect(refusal()?.next.contains("STATE_DIRECTORY") == true)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: path)
        #expect(refusal() == Errors.directoryOpenToOthers(path))
    }
}

@Suite("What of a pipeline survives a worker")
struct PipelineDefinitionTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func pipeline(_ yaml: String) throws -> HostedPipeline {
        try #require(try WorkerFile(yaml, in: directory).pipelines.first)
    }

    @Test("its checkpoints are relaxed unless the file says strict")
    func checkpoint() throws {
        #expect(try pipeline("pipelines: {p: {actions: [{id: a, run: [x]}]}}").checkpoint == .relaxed)
        #expect(
            try pipeline("pipelines: {p: {checkpoint: relaxed, actions: [{id: a, run: [x]}]}}").checkpoint == .relaxed
        )
        #expect(
            try pipeline("pipelines: {p: {checkpoint: strict, actions: [{id: a, run: [x]}]}}").checkpoint == .strict
        )
    }

    @Test("its revision changes with its actions, and with nothing that stands beside them")
    func revision() throws {
        let revision = try pipeline("pipelines: {p: {actions: [{id: a, run: [x]}]}}").revision
        let same = try pipeline(
            "# Much ado.\npipelines:\n  p:\n    slots: 2\n    actions:   [{id: a,   run: [x]}]  # a\n"
        )
        #expect(same.revision == revision)
        for other in ["{id: a, run: [y]}", "{id: a, run: [x], timeout: 5ms}", "{id: a, run: [x]}, {id: b, run: [x]}"] {
            #expect(try pipeline("pipelines: {p: {actions: [\(other)]}}").revision != revision, "\(other)")
        }
    }
}
