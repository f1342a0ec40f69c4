import ForgeBusFleet
import ForgeBusProtocol
import Foundation
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusConfiguration

extension Inventory {
    /// An inventory of a test; its commands have a PATH and nothing else in their environment.
    init(_ yaml: String, in directory: TemporaryDirectory) async throws(ConfigurationError) {
        try await self.init(
            yaml: yaml,
            name: "fleet.yaml",
            directory: directory.path,
            environment: ["PATH": "/usr/bin:/bin"]
        )
    }
}

@Suite("The file of an inventory")
struct FleetFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The errors of a file, in their order; empty if it has none.
    private func errors(_ yaml: String) async -> [ConfigurationError] {
        do throws(ConfigurationError) {
            _ = try await Inventory(yaml, in: directory)
            return []
        } catch {
            return [error] + error.others
        }
    }

    @Test("names the workers with their endpoints, keys and labels, and the monitors that they must have")
    func whole() async throws {
        try FileManager.default.createDirectory(atPath: directory.file("keys"), withIntermediateDirectories: false)
        let pair = KeyPair()
        try Certificate(pair).write(to: directory.file("keys/db-01"))
        let inventory = try await Inventory(
            """
            workers:
              web-01: {endpoint: "tcp://10.1.0.11:7717", key: "\(ExampleKeys.client)", labels: {role: web, zone: 1}}
              db-01: {endpoint: "tcp://db.example:7717", key_file: keys/db-01.key, labels: {role: db}}
              here: {endpoint: "ipc:///run/forgebus/worker.ipc"}
              beside: {endpoint: "tcp://[::1]:7717", key: "\(ExampleKeys.server)"}
            expect:
              - {on: [role=web], monitors: [password-age, tls]}
              - {on: [here, db-01], monitors: [tls]}
              - {monitors: [disk]}
            """,
            in: directory
        )
        #expect(inventory.workers.map(\.name) == ["beside", "db-01", "here", "web-01"])
        #expect(
            inventory.workers.map(\.endpoint.text) == [
                "tcp://[::1]:7717", "tcp://db.example:7717", "ipc:///run/forgebus/worker.ipc", "tcp://10.1.0.11:7717",
            ]
        )
        let keys = [try PublicKey(ExampleKeys.server), pair.publicKey, nil, try PublicKey(ExampleKeys.client)]
        #expect(inventory.workers.map(\.key) == keys)
        #expect(inventory.workers.map(\.labels) == [[:], ["role": "db"], [:], ["role": "web", "zone": "1"]])
        #expect(
            inventory.expectations == [
                Inventory.Expectation(on: .labels(["role": "web"]), monitors: ["password-age", "tls"]),
                Inventory.Expectation(on: .names(["here", "db-01"]), monitors: ["tls"]),
                Inventory.Expectation(on: .all, monitors: ["disk"]),
            ]
        )
    }

    @Test("with an error names line, column and key, and the word that was probably meant", arguments: BadFile.fleets)
    func table(_ bad: BadFile) async throws {
        let errors = await errors(bad.text)
        #expect(errors.count == 1, "\(errors)")
        guard let error = errors.first else { return }
        #expect(error.file == "fleet.yaml")
        bad.check(error)
    }

    @Test("tells all of its errors together, in the order of the file, also those that follow from several places")
    func all() async throws {
        let errors = await errors(
            """
            workers:
              web-01:
                endpoint: tcp://10.1.0.11:7717
                labels: {role: web}
              web/02: {endpoint: "tcp://10.1.0.12", key: abc}
              web-03: {endpoint: "tcp://127.0.0.1:7717", label: {role: web}}
              web-04: {endpoint: "tcp://127.0.0.1:7717"}
              web-05: {key_file: absent.key}
            include: []
            expect:
              - {on: [role=web], monitors: [tls]}
              - {on: [web-05], monitors: [tls]}
              - {on: [web-06], monitors: [a b]}
              - {on: [web-07], monitors: [tls]}
            """
        )
        let places = errors.map { "\($0.line ?? 0):\($0.column ?? 0) \($0.code.rawValue) \($0.key ?? "")" }
        #expect(
            places == [
                "3:5 missing_key workers.web-01", "5:3 bad_value workers.web/02",
                "5:22 bad_value workers.web/02.endpoint", "5:46 bad_value workers.web/02.key",
                "6:46 unknown_key workers.web-03.label", "7:22 duplicate workers.web-04.endpoint",
                "8:11 missing_key workers.web-05", "8:22 unreadable workers.web-05.key_file",
                "9:10 bad_value include", "13:10 bad_value expect[2].on", "13:31 bad_value expect[2].monitors[0]",
                "14:10 bad_value expect[3].on",
            ]
        )
    }

    @Test("never shows what stands in the place of a key")
    func secrets() async throws {
        for text in [ExampleKeys.clientSecret, "hunter2", String(repeating: "%nSc0", count: 8)] {
            let errors = await errors(
                """
                workers:
                  a: {endpoint: "tcp://127.0.0.1:1", key: "\(text)"}
                  b: {endpoint: "tcp://127.0.0.1:2", key: "\(ExampleKeys.client)"}
                  c: {endpoint: "tcp://127.0.0.1:3", key: "x"}
                """
            )
            #expect(errors.count == 2)
            #expect(!errors.description.contains(text))
        }
    }

    @Test("may have 10,000 workers and 2 MiB, and tells the first worker that is too many")
    func limits() async throws {
        let lines = (1...10_001).map { "  web-\($0): {endpoint: \"ipc:///run/\($0)\"}" }
        let most = ["workers:"] + lines.dropLast()
        #expect(try await Inventory(most.joined(separator: "\n"), in: directory).workers.count == 10_000)
        let more = await errors((["workers:"] + lines).joined(separator: "\n"))
        #expect(more.map(\.code) == [.tooLarge])
        #expect(more.first?.key == "workers.web-10001" && more.first?.line == 10_002)
        let large = await errors("workers: {}\n" + String(repeating: "# long\n", count: 300_000))
        #expect(large.map(\.code) == [.tooLarge])
        #expect(large.first?.message == Errors.fileTooLarge(limit: 2 << 20).message)
    }

    // MARK: Files

    private func set(_ mode: Int, of name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory.file(name))
    }

    private func code(_ path: String) async -> ConfigurationError.Code? {
        do throws(ConfigurationError) {
            _ = try await Inventory(path: path, environment: [:])
            return nil
        } catch {
            return error.code
        }
    }

    @Test("that somebody else may write is refused, one that others may read is not")
    func permissions() async throws {
        try directory.write("workers: {a: {endpoint: \"tcp://127.0.0.1:7717\"}}\n", to: "fleet.yaml")
        for mode in [0o600, 0o644, 0o400] {
            try set(mode, of: "fleet.yaml")
            #expect(await code(directory.file("fleet.yaml")) == nil)
        }
        for mode in [0o666, 0o620, 0o602] {
            try set(mode, of: "fleet.yaml")
            #expect(await code(directory.file("fleet.yaml")) == .untrusted)
        }
        #expect(await code(directory.file("absent.yaml")) == .unreadable)
        #expect(await code(directory.path) == .unreadable)
    }

    @Test("takes the public key of a certificate file that only its owner may write, and no secret key")
    func keyFiles() async throws {
        try Certificate(KeyPair()).write(to: directory.file("a"))
        try directory.write("not a certificate\n", to: "text.key")
        let yaml = "workers:\n  a:\n    endpoint: tcp://10.1.0.1:7717\n    key_file: "
        func codes(_ file: String) async -> [ConfigurationError.Code] {
            let errors = await errors(yaml + file)
            #expect(errors.allSatisfy { $0.key == "workers.a.key_file" && $0.line == 4 && $0.file == "fleet.yaml" })
            return errors.map(\.code)
        }
        #expect(await codes("a.key") == [])
        #expect(await codes(directory.file("a.key")) == [])
        #expect(await codes("a.key_secret") == [.badValue])
        try set(0o644, of: "a.key_secret")
        #expect(await codes("a.key_secret") == [.badValue])
        #expect(await codes("text.key") == [.badValue])
        #expect(await codes(".") == [.unreadable])
        try set(0o664, of: "a.key")
        #expect(await codes("a.key") == [.untrusted])
    }
}
