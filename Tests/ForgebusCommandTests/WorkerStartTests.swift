import Foundation
import Testing

extension CommandLineTests {
    @Suite("A worker that cannot start")
    struct WorkerStartTests {
        @Test("exits 78 for a bad file, naming file, line, column, key and what is expected")
        func badFile() async throws {
            try await withScratch { directory in
                let file = try directory.write(
                    """
                    pipelines:
                      deploy:
                        slot: 4
                        actions:
                          - id: build
                            run: ./build
                    """,
                    to: "worker.yaml"
                )
                let outcome = try await Forgebus.run(["worker", "--config", file])
                #expect(outcome.code == 78)
                #expect(
                    outcome.errors.first?.hasPrefix("\(file):3:5: pipelines.deploy.slot: ") == true,
                    "\(outcome)"
                )
                #expect(outcome.errors.first?.contains("`slots`") == true)
                let second = "\(file):6:14: pipelines.deploy.actions[0].run: "
                #expect(outcome.errors.dropFirst().first?.hasPrefix(second) == true, "\(outcome)")
            }
        }

        @Test("is told so by --check, which says what would be served and starts nothing")
        func check() async throws {
            try await withScratch { directory in
                let bad = try directory.write("pipelines: {deploy: {slot: 4}}\n", to: "bad.yaml")
                #expect(try await Forgebus.run(["worker", "--check", "--config", bad]).code == 78)
                // The codec takes it, and a worker would not.
                let yaml = "monitors: {shelf: {topics: [stock.>], actions: [{id: count, run: [/bin/true]}]}}\n"
                let good = try directory.write(yaml, to: "good.yaml")
                let open = ["worker", "--check", "--config", good, "--listen", "tcp://*:7717"]
                #expect(try await Forgebus.run(open).code == 78)
                let state = "\(directory.path)/state"
                let outcome = try await Forgebus.run(
                    ["worker", "--check", "--config", good, "--listen", "tcp://127.0.0.1:7717"],
                    environment: ["XDG_STATE_HOME": state]
                )
                #expect(outcome.code == 0, "\(outcome)")
                let words = outcome.output.map(\.words)
                #expect(words.contains(["listens", "tcp://127.0.0.1:7717"]), "\(outcome)")
                #expect(words.contains(["monitors", "shelf"]) && words.contains(["pipelines", "none"]))
                #expect(!FileManager.default.fileExists(atPath: state))
                #expect(try await Forgebus.run(["worker", "--check"]).code == 64)
            }
        }

        @Test("names the first of thousands of problems", arguments: ["text", "json"])
        func manyProblems(format: String) async throws {
            try await withScratch { directory in
                let keys = (0..<12_000).map { "  key\($0): {actions: []}\n" }.joined()
                let file = try directory.write("pipelines:\n\(keys)", to: "many.yaml")
                let outcome = try await Forgebus.run(["worker", "--check", "--config", file, "--log-format", format])
                #expect(outcome.code == 78)
                #expect(outcome.errors.first?.contains("\(file):2:") == true, "\(outcome)")
                #expect(outcome.errors.count == (format == "text" ? 101 : 1))
            }
        }

        @Test("exits 78 for a file that is not there, and for one that is no YAML")
        func noFile() async throws {
            try await withScratch { directory in
                let absent = try await Forgebus.run(["worker", "--config", "\(directory.path)/absent.yaml"])
                #expect(absent.code == 78)
                #expect(absent.errors.first?.contains("\(directory.path)/absent.yaml") == true)
                let broken = try directory.write("pipelines: [\n", to: "broken.yaml")
                let outcome = try await Forgebus.run(["worker", "--config", broken])
                #expect(outcome.code == 78)
                #expect(outcome.errors.first?.firstMatch(of: #/broken\.yaml:\d+:\d+: /#) != nil, "\(outcome)")
            }
        }

        @Test(
            "exits 78 for an endpoint that strangers could reach",
            arguments: ["tcp://0.0.0.0:7717", "tcp://*:7717", "tcp://192.0.2.1:7717"]
        )
        func openDoor(_ endpoint: String) async throws {
            try await withScratch { directory in
                let byOption = try await Forgebus.run(
                    ["worker", "--listen", endpoint],
                    environment: ["TMPDIR": directory.path]
                )
                let byEnvironment = try await Forgebus.run(
                    ["worker"],
                    environment: ["TMPDIR": directory.path, "FORGEBUS_LISTEN": endpoint]
                )
                for outcome in [byOption, byEnvironment] {
                    #expect(outcome.code == 78)
                    #expect(outcome.errors.contains { $0.contains(endpoint) }, "\(outcome)")
                }
            }
        }

        @Test(
            "exits 69 for an endpoint that is in use, and the worker that holds it goes on",
            arguments: ["ipc", "tcp"]
        )
        func inUse(_ transport: String) async throws {
            let first = try await WorkerProcess.serve(listen: transport == "tcp" ? "tcp://127.0.0.1:*" : nil) {
                worker in
                let second = try await Forgebus.run(
                    ["worker", "--listen", worker.endpoint],
                    environment: ["TMPDIR": worker.directory.path]
                )
                #expect(second.code == 69)
                #expect(second.errors.contains { $0.contains(worker.endpoint) }, "\(second)")
                let ping = try await worker.asked("ping")
                #expect(ping.output.first?.hasPrefix("tester is ready") == true)
                #expect(try await worker.asked("run", "echo", "text=still here").code == 0)
            }
            #expect(first.code == 0)
        }

        @Test("exits 78 for a gate that says who may decide it, where nobody is told apart")
        func nobodyToldApart() async throws {
            try await withScratch { directory in
                let yaml = "pipelines: {p: {actions: [{id: a, gate: {signal: a.go, allowed: [ada]}}]}}\n"
                let file = try directory.write(yaml, to: "worker.yaml")
                let listen = "ipc://\(directory.path)/worker.ipc"
                for options in [["--listen", listen], ["--check"]] {
                    let outcome = try await Forgebus.run(
                        ["worker", "--config", file] + options,
                        environment: directory.stateHome
                    )
                    #expect(outcome.code == 78)
                    let place = "\(file):1:56: pipelines.p.actions[0].gate.allowed: "
                    #expect(outcome.errors.count == 1 && outcome.errors[0].hasPrefix(place), "\(outcome)")
                }
            }
        }

        @Test("exits 78 when others can get into the directory of the default endpoint")
        func looseDirectory() async throws {
            try await withScratch { directory in
                try FileManager.default.createDirectory(
                    atPath: "\(directory.path)/forgebus",
                    withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o755]
                )
                let environment = ["XDG_RUNTIME_DIR": directory.path, "TMPDIR": directory.path]
                let outcome = try await Forgebus.run(["worker"], environment: environment)
                #expect(outcome.code == 78)
                #expect(outcome.errors.contains { $0.contains("chmod 700 \(directory.path)/forgebus") }, "\(outcome)")
            }
        }
    }

    @Suite("A worker without a file")
    struct DemonstrationTests {
        @Test("serves the demonstration at the default endpoint, where clients look for it")
        func defaultEndpoint() async throws {
            try await withScratch { directory in
                let environment = ["XDG_RUNTIME_DIR": directory.path, "TMPDIR": directory.path]
                let (_, outcome) = try await Forgebus.start(["worker"], environment: environment) { process in
                    try await process.errors.first(containing: "ready")
                    #expect(directory.has("forgebus/worker.ipc"))
                    let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory.path)/forgebus")
                    #expect(attributes[.posixPermissions] as? Int == 0o700)
                    let greeting = try await Forgebus.run(["run", "greet", "name=Ada"], environment: environment)
                    #expect(greeting.code == 0)
                    #expect(greeting.output.last == #"outputs    {"greeting":"Hello, Ada!"}"#)
                    process.send(SIGTERM)
                }
                #expect(outcome.code == 0)
                #expect(outcome.output.first?.hasPrefix("No --config: ") == true)
            }
        }
    }
}

/// A directory that is gone afterwards.
func withScratch(_ body: (Scratch) async throws -> Void) async throws {
    let directory = try Scratch()
    defer { directory.remove() }
    try await body(directory)
}
