import ForgeBusFleet
import ForgeBusProtocol
import Foundation
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusConfiguration

@Suite("A command of an inventory")
struct IncludeTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The errors of an inventory with the worker `web-01` and these further lines; empty if it has none.
    private func errors(_ lines: String) async -> [ConfigurationError] {
        do throws(ConfigurationError) {
            let worker = "workers: {web-01: {endpoint: \"tcp://127.0.0.1:7717\"}}\n"
            _ = try await Inventory(worker + lines + "\n", in: directory)
            return []
        } catch {
            return [error] + error.others
        }
    }

    /// The line of the inventory that includes the program `name`.
    private func include(_ names: String..., timeout: String = "60s") -> String {
        "include: [\(names.map { "{command: [./\($0)], timeout: \(timeout)}" }.joined(separator: ", "))]"
    }

    @Test("adds the workers that it prints as YAML or JSON, in the directory of the file and with its environment")
    func added() async throws {
        try Certificate(KeyPair()).write(to: directory.file("db-01"))
        try directory.script("yaml", "echo 'workers:'; echo '  db-01:'; echo '    key_file: db-01.key'; cat endpoint")
        try directory.write("    endpoint: tcp://10.1.0.31:7717\n", to: "endpoint")
        try directory.script(
            "json",
            "echo '{\"workers\": {\"'$NAME'\": {\"endpoint\": \"ipc:///a\", \"labels\": {\"role\": \"web\"}}}}'"
        )
        let inventory = try await Inventory(
            yaml: include("yaml", "json") + "\nexpect: [{on: [web-07], monitors: [tls]}]\n",
            name: "fleet.yaml",
            directory: directory.path,
            environment: ["PATH": "/usr/bin:/bin", "NAME": "web-07"]
        )
        #expect(inventory.workers.map(\.name) == ["db-01", "web-07"])
        #expect(inventory.workers[0].key != nil)
        #expect(inventory.workers[1].labels == ["role": "web"])
    }

    /// What a command does, and the error that this is.
    struct Failure: Sendable, CustomTestStringConvertible {
        let script: String
        let code: ConfigurationError.Code
        /// A part of the command's output, which the error shows.
        let naming: String
        var testDescription: String { "\(script) → \(code.rawValue)" }

        init(_ script: String, _ code: ConfigurationError.Code, naming: String = "") {
            (self.script, self.code, self.naming) = (script, code, naming)
        }
    }

    private static let good = "echo 'workers: {db-01: {endpoint: \"ipc:///run/db\"}}'"

    @Test(
        "that fails is an error at its place, and never a smaller fleet",
        arguments: [
            Failure("\(good); echo first >&2; echo 'no route' >&2; exit 3", .failedCommand, naming: "no route"),
            Failure("\(good); kill -9 $$", .failedCommand),
            Failure("\(good); exec sleep 600", .failedCommand),
            Failure("echo nothing >&2", .failedCommand, naming: "nothing"),
            Failure("echo; echo '  '", .failedCommand),
            Failure("\(good); exec yes '# more'", .tooLarge),
        ]
    )
    func failure(_ failure: Failure) async throws {
        try directory.script("machines", failure.script)
        // Only one of them runs until its time is over.
        let timeout = failure.script.contains("sleep") ? "100ms" : "60s"
        let errors = await errors(include("machines", timeout: timeout))
        #expect(errors.map(\.code) == [failure.code], "\(errors)")
        #expect(errors.first?.file == "fleet.yaml" && errors.first?.line == 2)
        #expect(errors.first?.key == "include[0]")
        #expect(errors.first?.message.contains(failure.naming) != false || failure.naming.isEmpty, "\(errors)")
    }

    @Test(
        "that prints something else than workers is an error at the place in its output",
        arguments: [
            ("printf '\\377'", ConfigurationError.Code.notYAML, nil, nil),
            ("echo 'workers: ['", .notYAML, 2, nil),
            ("echo '# none'", .missingKey, 1, nil),
            ("echo 'hosts: {}'", .unknownKey, 1, "hosts"),
            ("echo 'workers: {}'", .badValue, 1, "workers"),
            ("echo '{\"workers\": []}'", .wrongType, 1, "workers"),
            ("echo 'include: [{command: [x]}]'", .unknownKey, 1, "include"),
            ("echo 'workers:'; echo '  web-01: {endpoint: \"ipc:///a\"}'", .duplicate, 2, "workers.web-01"),
            (
                "echo 'workers:'; echo '  b: {endpoint: \"tcp://127.0.0.1:7717\"}'", .duplicate, 2,
                "workers.b.endpoint"
            ),
            ("echo 'workers: {b: {endpoint: \"tcp://10.1.0.1:7717\"}}'", .missingKey, 1, "workers.b"),
        ]
    )
    func other(_ script: String, code: ConfigurationError.Code, line: Int?, key: String?) async throws {
        try directory.script("machines", script)
        let errors = await errors(include("machines"))
        #expect(errors.first?.code == code, "\(errors)")
        #expect(errors.first?.file == Errors.output(of: "./machines"))
        #expect(errors.first?.line == line && errors.first?.key == key, "\(errors)")
    }

    @Test("that does not exist is an error")
    func absent() async {
        for command in ["./absent", "no-such-program-of-forgebus"] {
            let errors = await errors("include: [{command: [\(command)]}]")
            #expect(errors.map(\.code) == [.failedCommand])
        }
    }

    @Test("does not run before the file itself is correct")
    func order() async throws {
        try directory.script("machines", "touch ran; \(Self.good)")
        let wrong = await errors(include("machines") + "\nexpect: []")
        #expect(wrong.map(\.key) == ["expect"])
        #expect(!directory.has("ran"))
        #expect(await errors(include("machines")).isEmpty)
        #expect(directory.has("ran"))
    }

    @Test("runs at the same time as the others")
    func atOnce() async throws {
        _ = try Fifo("pipe", in: directory)
        // Each of the two waits until the other one has opened the pipe.
        try directory.script("first", "echo 'workers: {a: {endpoint: \"ipc:///a\"}}' >pipe; cat other")
        try directory.script("second", "cat pipe")
        try directory.write("workers: {b: {endpoint: \"ipc:///b\"}}\n", to: "other")
        #expect(await errors(include("first", "second", timeout: "10m")).isEmpty)
        #expect(await errors(include("second", "first", timeout: "10m")).isEmpty)
    }

    @Test("leaves its errors beside those of the others, in the order of the file")
    func together() async throws {
        try directory.script("first", "echo 'workers: {b: {endpoint: \"ipc:///b\"}, c: {}}'")
        try directory.script("second", "exit 1")
        try directory.script("third", "echo 'workers: {b: {endpoint: \"ipc:///c\"}, d: {end: a}}'")
        // What the second one would have printed is not known, so nothing is said of `expect`.
        let errors = await errors(include("first", "second", "third") + "\nexpect: [{on: [e], monitors: [tls]}]")
        #expect(
            errors.map { "\($0.code.rawValue) \($0.key ?? "")" } == [
                "failed_command include[1]", "missing_key workers.c", "duplicate workers.b",
                "missing_key workers.d", "unknown_key workers.d.end",
            ]
        )
        #expect(
            errors.map(\.file) == [
                "fleet.yaml", Errors.output(of: "./first"), Errors.output(of: "./third"), Errors.output(of: "./third"),
                Errors.output(of: "./third"),
            ]
        )
    }

    @Test("brings the workers of which an expectation speaks, or it is an error")
    func expected() async throws {
        try directory.script("machines", Self.good)
        #expect(await errors(include("machines") + "\nexpect: [{on: [db-01], monitors: [tls]}]").isEmpty)
        let errors = await errors(include("machines") + "\nexpect: [{on: [db-02], monitors: [tls]}]")
        #expect(errors.map(\.key) == ["expect[0].on"])
    }
}
