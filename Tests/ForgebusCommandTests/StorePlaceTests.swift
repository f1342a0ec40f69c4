import Foundation
import Testing

extension CommandLineTests {
    @Suite("Where a worker keeps what it takes")
    struct StorePlaceTests {
        @Test("is a file of its name, in the state directory of its user or its service, that nobody else can read")
        func defaults() async throws {
            for (variable, place) in [
                ("XDG_STATE_HOME", "forgebus/tester.sqlite"), ("STATE_DIRECTORY", "tester.sqlite"),
            ] {
                try await withScratch { directory in
                    let environment = [variable: directory.path]
                    let outcome = try await WorkerProcess.serve(in: directory, environment: environment) { _ in
                        let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory.path)/\(place)")
                        #expect(attributes[.posixPermissions] as? Int == 0o600)
                    }
                    #expect(outcome.code == 0, "\(outcome)")
                }
            }
        }

        @Test("is what --store says, before the environment, before the file")
        func said() async throws {
            try await withScratch { directory in
                let yaml = TestWorker.yaml.replacing("name: tester", with: "name: tester\n  store: from-file.sqlite")
                _ = try await WorkerProcess.serve(yaml, in: directory) { _ in
                    // A path of the file is relative to the file.
                    #expect(directory.has("from-file.sqlite"))
                }
                let environment = ["FORGEBUS_STORE": "\(directory.path)/from-environment.sqlite"]
                _ = try await WorkerProcess.serve(yaml, in: directory, environment: environment) { _ in
                    #expect(directory.has("from-environment.sqlite"))
                }
                let start = ["--store", "\(directory.path)/from-start.sqlite"]
                _ = try await WorkerProcess.serve(yaml, in: directory, arguments: start, environment: environment) {
                    _ in
                    #expect(directory.has("from-start.sqlite"))
                }
            }
        }

        @Test("exits 73 where another worker has it, which goes on")
        func inUse() async throws {
            try await withScratch { directory in
                let first = try await WorkerProcess.serve(in: directory) { worker in
                    let second = try await Forgebus.run(
                        [
                            "worker", "--config", "\(directory.path)/worker.yaml", "--listen",
                            "ipc://\(directory.path)/other.ipc",
                        ],
                        environment: directory.stateHome
                    )
                    #expect(second.code == 73)
                    #expect(second.errors.last?.contains("tester.sqlite ") == true, "\(second)")
                    #expect(try await worker.asked("run", "echo", "text=still here").code == 0)
                }
                #expect(first.code == 0, "\(first)")
            }
        }

        @Test("exits 73 where it cannot be, and 65 where something else is, which is left as it was")
        func unfit() async throws {
            try await withScratch { directory in
                let config = try directory.write(TestWorker.yaml, to: "worker.yaml")
                let foreign = try directory.write("a letter to a friend\n", to: "letter")
                let start = ["worker", "--config", config, "--listen", "ipc://\(directory.path)/worker.ipc", "--store"]
                let nowhere = try await Forgebus.run(start + ["\(directory.path)/absent/x.sqlite"])
                #expect(nowhere.code == 73)
                #expect(nowhere.errors.last?.contains("\(directory.path)/absent") == true, "\(nowhere)")
                let taken = try await Forgebus.run(start + [foreign])
                #expect(taken.code == 65)
                #expect(taken.errors.last?.contains(foreign) == true, "\(taken)")
                #expect(try directory.lines("letter") == ["a letter to a friend"])
            }
        }

        @Test("exits 78 where others could get in")
        func loose() async throws {
            try await withScratch { directory in
                let path = "\(directory.path)/forgebus"
                try FileManager.default.createDirectory(
                    atPath: path,
                    withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o755]
                )
                let config = try directory.write(TestWorker.yaml, to: "worker.yaml")
                let outcome = try await Forgebus.run(
                    ["worker", "--config", config, "--listen", "ipc://\(directory.path)/worker.ipc"],
                    environment: directory.stateHome
                )
                #expect(outcome.code == 78)
                #expect(outcome.errors.contains { $0.contains("chmod 700 \(path)") }, "\(outcome)")
            }
        }
    }
}
