import Foundation
import TestSupport
import Testing

@testable import ForgeBusConfiguration

@Suite("The settings of a worker")
struct SettingsTests {
    let directory: TemporaryDirectory
    let yaml = """
        worker:
          name: from-file
          listen: ["tcp://127.0.0.1:1001"]
          publications: {bind: ["tcp://127.0.0.1:1003"], connect: ["tcp://127.0.0.1:1004", "ipc:///run/p"]}
          drain: 1s
          cancel_grace: 1001ms
          retention: 1002ms
          signal_retention: 1003ms
          audit_retention: 86400004ms
          limits: {unfinished: 1, queued: 2, waiting: 3, evaluations: 4, early: 5, early_per_sender: 6, early_size: 7B,
            requests: 8, connections: 9, watches: 10, watches_per_sender: 11, watches_per_connection: 12,
            votes: 13B}
        """

    init() throws { directory = try TemporaryDirectory() }

    func file(_ yaml: String, _ environment: [String: String] = [:], _ overrides: WorkerSettings = .init()) throws
        -> WorkerFile
    {
        try WorkerFile(yaml: yaml, name: "w", directory: directory.path, environment: environment, overrides: overrides)
    }

    @Test("come from the file")
    func fromFile() throws {
        let configuration = try file(yaml).configuration
        #expect(configuration.name == "from-file")
        #expect(configuration.endpoints.map(\.text) == ["tcp://127.0.0.1:1001"])
        #expect(configuration.publicationEndpoints.map(\.text) == ["tcp://127.0.0.1:1003"])
        #expect(configuration.publishers.map(\.endpoint.text) == ["tcp://127.0.0.1:1004", "ipc:///run/p"])
        #expect(configuration.drainTime == .milliseconds(1000))
        #expect(configuration.cancelGrace == .milliseconds(1001))
        #expect(configuration.retention == .milliseconds(1002))
        #expect(configuration.signalRetention == .milliseconds(1003))
        #expect(configuration.auditRetention == .milliseconds(86_400_004))
        let limits = configuration.limits
        #expect(
            [
                limits.unfinishedRuns, limits.queuedRuns, limits.waitingSignals, limits.evaluations,
                limits.earlyDecisions, limits.earlyDecisionsPerPrincipal, limits.earlyDecisionsSizeInBytes,
                limits.requests, limits.attachedConnections, limits.watches, limits.watchesPerPrincipal,
                limits.watchesPerConnection, limits.votesSizeInBytes,
            ] == Array(1...13)
        )
    }

    @Test("limit the store on disk, from the file and from the environment")
    func storeLimits() throws {
        let yaml = """
            worker:
              store_limits: {journal_age: 1h, journal_entries: 1001, audit_entries: 1002, output: 1MiB,
                disk_floor: 5B}
            """
        var limits = StoreLimits()
        #expect(try file("worker: {name: a}").storeLimits == limits)
        (limits.journalAge, limits.journalEntries, limits.auditEntries) = (.seconds(3_600), 1_001, 1_002)
        (limits.outputsSizeInBytes, limits.floorInBytes) = (1 << 20, 5)
        #expect(try file(yaml).storeLimits == limits)
        limits.floorInBytes = 7
        #expect(try file(yaml, ["FORGEBUS_STORE_LIMITS_DISK_FLOOR": "7B"]).storeLimits == limits)
        #expect(throws: ConfigurationError.self) { try file("worker: {store_limits: {journal_age: 1ms}}") }
        let error = #expect(throws: ConfigurationError.self) {
            try file("worker: {store_limits: {journal_age: 3600000}}")
        }
        #expect(error?.next.contains("3600000ms") == true)
    }

    @Test("come from the environment before the file")
    func fromEnvironment() throws {
        let environment = [
            "FORGEBUS_NAME": "from-environment", "FORGEBUS_LISTEN": "ipc:///tmp/a, tcp://127.0.0.1:*",
            "FORGEBUS_PUBLICATIONS_BIND": "tcp://127.0.0.1:*", "FORGEBUS_DRAIN": "2s",
            "FORGEBUS_LIMITS_EARLY_PER_SENDER": "60", "FORGEBUS_RETENTION": "",
        ]
        let configuration = try file(yaml, environment).configuration
        #expect(configuration.name == "from-environment")
        #expect(configuration.endpoints.map(\.text) == ["ipc:///tmp/a", "tcp://127.0.0.1:*"])
        #expect(configuration.publicationEndpoints.map(\.text) == ["tcp://127.0.0.1:*"])
        #expect(configuration.publishers.count == 2)
        #expect(configuration.drainTime == .seconds(2))
        #expect(configuration.limits.earlyDecisionsPerPrincipal == 60)
        #expect(configuration.limits.earlyDecisions == 5)
        #expect(configuration.retention == .milliseconds(1002))
    }

    @Test("said at the start count more than the environment and the file")
    func fromStart() throws {
        var overrides = WorkerSettings()
        overrides.name = "from-start"
        overrides.listen = ["ipc:///tmp/b"]
        overrides.drain = .seconds(3)
        let environment = ["FORGEBUS_NAME": "x", "FORGEBUS_LISTEN": "nonsense", "FORGEBUS_DRAIN": "nonsense"]
        let configuration = try file(yaml, environment, overrides).configuration
        #expect(configuration.name == "from-start")
        #expect(configuration.endpoints.map(\.text) == ["ipc:///tmp/b"])
        #expect(configuration.drainTime == .seconds(3))
    }

    @Test("have defaults, of which the endpoint is the user's own")
    func defaults() throws {
        let file = try file("pipelines: {}", ["XDG_RUNTIME_DIR": "/run/user/7"])
        #expect(file.configuration.name == "forgebus")
        #expect(file.configuration.drainTime == .seconds(30))
        #expect(file.configuration.endpoints.map(\.text) == ["ipc:///run/user/7/forgebus/worker.ipc"])
        #expect(file.listensAtDefault)
        #expect(file.configuration.publicationEndpoints.isEmpty && file.configuration.publishers.isEmpty)
        #expect(try !self.file(yaml).listensAtDefault)
        #expect(file.startup == nil)
    }

    @Test(
        "that are wrong outside the file name their variable",
        arguments: [
            ("FORGEBUS_NAME", "a b", .badValue), ("FORGEBUS_DRAIN", "30", .wrongType),
            ("FORGEBUS_DRAIN", "2d", .badValue), ("FORGEBUS_LIMITS_QUEUED", "0", .badValue),
            ("FORGEBUS_LISTEN", "udp://a", .badValue), ("FORGEBUS_LISTEN", "tcp://10.0.0.1:1", .openDoor),
            ("FORGEBUS_PUBLICATIONS_BIND", "tcp://*:1", .openDoor),
            ("FORGEBUS_PUBLICATIONS_CONNECT", "tcp://10.0.0.1:1", .openDoor),
        ] as [(String, String, ConfigurationError.Code)]
    )
    func wrongVariables(_ variable: String, _ value: String, _ code: ConfigurationError.Code) throws {
        let error = #expect(throws: ConfigurationError.self) { try file(yaml, [variable: value]) }
        #expect(error?.key == variable)
        #expect(error?.line == nil)
        #expect(error?.code == code)
        #expect(error?.message.contains(value) == true)
    }

    @Test("of earlier releases in the environment are errors that name the variable of today")
    func oldVariables() throws {
        for (old, now) in [("DRAIN_MS", "FORGEBUS_DRAIN"), ("LIMITS_EARLY_BYTES", "FORGEBUS_LIMITS_EARLY_SIZE")] {
            let error = #expect(throws: ConfigurationError.self) { try file(yaml, ["FORGEBUS_\(old)": "2000"]) }
            #expect(error?.code == .unknownKey && error?.next.contains(now) == true)
        }
    }

    @Test("that are wrong at the start say which")
    func wrongOverrides() throws {
        var overrides = WorkerSettings()
        overrides.name = "?"
        overrides.listen = ["nowhere"]
        overrides.drain = .seconds(100_000)
        let error = #expect(throws: ConfigurationError.self) { try file(yaml, [:], overrides) }
        #expect([error?.key] + (error?.others ?? []).map(\.key) == ["name", "drain", "listen"])
    }
}

@Suite("The default endpoint")
struct DefaultEndpointTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("is in the runtime directory of the user, or in one of /tmp that carries the user's number")
    func text() {
        #expect(DefaultEndpoint.text(environment: ["XDG_RUNTIME_DIR": "/run/x"]) == "ipc:///run/x/forgebus/worker.ipc")
        let other = "ipc:///tmp/forgebus-\(geteuid())/worker.ipc"
        for value in [nil, "", "relative"] {
            #expect(DefaultEndpoint.text(environment: value.map { ["XDG_RUNTIME_DIR": $0] } ?? [:]) == other)
        }
    }

    @Test("gets a directory that only its user can get into, once and again")
    func prepare() throws {
        let environment = ["XDG_RUNTIME_DIR": directory.path]
        for _ in 1...2 { try DefaultEndpoint.prepare(environment: environment) }
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.file("forgebus"))
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        #expect(attributes[.type] as? FileAttributeType == .typeDirectory)
    }

    @Test("is refused where others could get in")
    func refuses() throws {
        let environment = ["XDG_RUNTIME_DIR": directory.path]
        func refusal() -> ConfigurationError? {
            #expect(throws: ConfigurationError.self) { try DefaultEndpoint.prepare(environment: environment) }
        }
        let path = directory.file("forgebus")
        try FileManager.default.createDirectory(atPath: directory.file("real"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory.file("real"))
        #expect(refusal()?.message == Errors.notDirectory(path, or: "").message)
        #expect(refusal()?.next.contains("XDG_RUNTIME_DIR") == true)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: path)
        #expect(refusal() == Errors.directoryOpenToOthers(path))
        if geteuid() == 0 {
            chmod(path, 0o700)
            chown(path, 12_345, 12_345)
            #expect(refusal()?.message == Errors.foreignDirectory(path, or: "").message)
        }
        let nowhere = ["XDG_RUNTIME_DIR": directory.file("absent")]
        let error = #expect(throws: ConfigurationError.self) { try DefaultEndpoint.prepare(environment: nowhere) }
        #expect(error?.code == .directory)
        #expect(error?.message.contains(String(cString: strerror(ENOENT))) == true)
    }
}
