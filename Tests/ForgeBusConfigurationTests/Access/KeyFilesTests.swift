import ForgeBusProtocol
import ForgeBusWorker
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusConfiguration

@Suite("A worker's key files")
struct KeyFilesTests {
    let directory: TemporaryDirectory
    let files: KeyFiles
    let pair = KeyPair()

    init() throws {
        directory = try TemporaryDirectory()
        files = KeyFiles(access: directory.file("access.yaml"), certificate: directory.file("worker.key_secret"))
        try Certificate(pair).write(to: directory.file("worker"))
        try directory.write(Self.access(KeyPair().publicKey.description), to: "access.yaml")
    }

    static func access(_ key: String) -> String { "principals: {shop: {keys: [\"\(key)\"], run: [deploy]}}\n" }

    func file(_ yaml: String, _ keys: KeyFiles?) throws(ConfigurationError) -> WorkerFile {
        var settings = WorkerSettings()
        settings.keys = keys
        return try WorkerFile(
            yaml: yaml,
            name: "worker.yaml",
            directory: directory.path,
            environment: [:],
            overrides: settings
        )
    }

    @Test("let it listen where other machines reach it, and without them it may not")
    func endpoints() throws {
        let yaml = "worker: {listen: [\"tcp://0.0.0.0:7717\"], publications: {bind: [\"tcp://0.0.0.0:7718\"]}}\n"
        let keyed = try file(yaml, files)
        #expect(keyed.configuration.endpoints.map(\.text) == ["tcp://0.0.0.0:7717"])
        #expect(keyed.configuration.publicationEndpoints.map(\.text) == ["tcp://0.0.0.0:7718"])
        _ = try keyed.worker()
        let error = #expect(throws: ConfigurationError.self) { try file(yaml, nil) }
        #expect(error?.code == .openDoor)
        #expect(error?.others.map(\.code) == [.openDoor])
    }

    @Test("let it connect to a publisher whose key is one of a principal's, and to none otherwise")
    func publishers() throws {
        let key = KeyPair().publicKey
        try directory.write(Self.access(key.description), to: "access.yaml")
        func connecting(_ entry: String) -> String { "worker: {publications: {connect: [\(entry)]}}\n" }
        let good = #"{endpoint: "tcp://control.example:7720", principal: shop, key: "\#(key)"}"#
        let publishers = try file(connecting(good), files).configuration.publishers
        let endpoint = try Endpoint("tcp://control.example:7720")
        #expect(publishers == [KnownPublisher(at: endpoint, as: "shop", key: key)])
        let other = KeyPair()
        let bad = [
            #""ipc:///tmp/p""#, good.replacing("shop", with: "cafe"),
            good.replacing("\(key)", with: "\(other.publicKey)"),
            good.replacing(":7720", with: ":*"), good.replacing("\(key)", with: "short"),
            good.replacing("shop", with: "a b"),
        ]
        for entry in bad {
            let error = #expect(throws: ConfigurationError.self, "\(entry)") { try file(connecting(entry), files) }
            #expect(error?.code == .badValue && error?.line == 1, "\(entry)")
            #expect(error?.key?.hasPrefix("worker.publications.connect[0]") == true, "\(entry)")
        }
        let unkeyed = #expect(throws: ConfigurationError.self) { try file(connecting(good), nil) }
        #expect(unkeyed?.code == .badValue && unkeyed?.key == "worker.publications.connect[0]")
        for key in ["endpoint", "principal", "key"] {
            let entry = good.replacing("\(key): ", with: "x_\(key): ")
            let error = #expect(throws: ConfigurationError.self) { try file(connecting(entry), files) }
            #expect(error?.others.contains { $0.code == .missingKey } == true || error?.code == .missingKey)
        }
    }

    @Test("leave no place for publishers without keys in the environment")
    func publishersInEnvironment() throws {
        var settings = WorkerSettings()
        settings.keys = files
        let error = #expect(throws: ConfigurationError.self) {
            try WorkerFile(
                yaml: "worker: {}\n",
                name: "worker.yaml",
                directory: directory.path,
                environment: ["FORGEBUS_PUBLICATIONS_CONNECT": "ipc:///tmp/p"],
                overrides: settings
            )
        }
        #expect(error?.code == .badValue && error?.key == "FORGEBUS_PUBLICATIONS_CONNECT")
    }

    @Test("are both needed, and both right")
    func errors() throws {
        var wrong = files
        wrong.certificate = directory.file("worker.key")
        #expect(throws: ConfigurationError.self) { try file("worker: {}\n", wrong) }
        wrong = files
        wrong.access = directory.file("nobody.yaml")
        let error = #expect(throws: ConfigurationError.self) { try file("worker: {}\n", wrong) }
        #expect(error?.code == .unreadable)
    }

    @Test("do not take the worker's own secret for somebody's public key, not when they are read anew either")
    func ownSecret() async throws {
        var own = KeyPair()
        // The other half is told from a public key by its form.
        while try PublicKey(own.secretKey.text).bytes[31] & 0x80 != 0 { own = KeyPair() }
        try Certificate(own).write(to: directory.file("own"))
        var files = files
        files.certificate = directory.file("own.key_secret")
        var file = try file("worker: {}\n", files)
        file.configuration.endpoints = [try Endpoint("ipc://\(directory.path)/worker.ipc")]
        let worker = try file.worker()
        let serving = Task { try await worker.run() }
        _ = try await worker.endpoints
        try directory.write(Self.access(own.secretKey.text), to: "access.yaml")
        try await worker.rereadAccess(from: files.access)
        let counters = try await worker.counters
        #expect(counters[.accessKept] == 1 && counters[.accessReplaced] == 0)
        try directory.write(Self.access(KeyPair().publicKey.description), to: "access.yaml")
        try await worker.rereadAccess(from: files.access)
        #expect(try await worker.counters[.accessReplaced] == 1)
        serving.cancel()
        try await serving.value
    }
}

@Suite("A worker's previous certificate")
struct PreviousCertificateTests {
    private let tests: KeyFilesTests
    private let files: KeyFiles

    init() throws {
        tests = try KeyFilesTests()
        try Certificate(KeyPair()).write(to: tests.directory.file("old"))
        var files = tests.files
        files.previousCertificate = tests.directory.file("old.key_secret")
        self.files = files
    }

    private func file(
        _ yaml: String,
        _ keys: KeyFiles?,
        environment: [String: String] = [:],
        listen: [String]? = nil
    ) throws(ConfigurationError) -> WorkerFile {
        var settings = WorkerSettings()
        (settings.keys, settings.previousListen) = (keys, listen)
        return try WorkerFile(
            yaml: yaml,
            name: "worker.yaml",
            directory: tests.directory.path,
            environment: environment,
            overrides: settings
        )
    }

    private static let yaml = """
        worker:
          listen: ["tcp://0.0.0.0:7718"]
          previous: {listen: ["tcp://0.0.0.0:7717"], publications: ["tcp://0.0.0.0:7719"]}
        """

    @Test("has the endpoints of the file, of the environment before them, and of the start before both")
    func layers() throws {
        let previous = try #require(try file(Self.yaml, files).configuration.previous)
        #expect(previous.endpoints.map(\.text) == ["tcp://0.0.0.0:7717"])
        #expect(previous.publicationEndpoints.map(\.text) == ["tcp://0.0.0.0:7719"])
        _ = try file(Self.yaml, files).worker()
        let environment = ["FORGEBUS_PREVIOUS_LISTEN": "ipc:///tmp/a,ipc:///tmp/b"]
        let moved = try file(Self.yaml, files, environment: environment)
        #expect(moved.configuration.previous?.endpoints.map(\.text) == ["ipc:///tmp/a", "ipc:///tmp/b"])
        let told = try file(Self.yaml, files, environment: environment, listen: ["ipc:///tmp/c"])
        #expect(told.configuration.previous?.endpoints.map(\.text) == ["ipc:///tmp/c"])
    }

    @Test("is needed by its endpoints, wherever these are named")
    func missing() throws {
        for keys in [nil, tests.files] {
            let error = #expect(throws: ConfigurationError.self) {
                try file("worker:\n  previous: {listen: [\"ipc:///tmp/a\"]}\n", keys)
            }
            #expect(error?.line == 2 && error?.key == "worker.previous.listen[0]")
            #expect(error?.message == Errors.noPreviousKey(for: "ipc:///tmp/a").message)
        }
        let error = #expect(throws: ConfigurationError.self) {
            try file("worker: {}\n", tests.files, listen: ["ipc:///tmp/a"])
        }
        #expect(error?.key == "previous-listen" && error?.line == nil)
    }

    @Test("must be one with its secret key")
    func unreadable() throws {
        var wrong = files
        wrong.previousCertificate = tests.directory.file("old.key")
        let error = #expect(throws: ConfigurationError.self) { try file(Self.yaml, wrong) }
        #expect(error?.code == .badValue)
        #expect(error?.message.contains("old.key") == true)
    }
}
