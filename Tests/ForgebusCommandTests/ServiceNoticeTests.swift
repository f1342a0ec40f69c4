import Foundation
import Testing

@testable import forgebus

extension CommandLineTests {
    @Suite("A worker that a service manager started")
    struct ServiceNoticeTests {
        static let startingYAML = """
            startup:
              - id: migrate
                run: [/bin/sh, -c, "echo >begun; cat go"]
            pipelines:
              echo: {actions: [{id: look, run: ["true"]}]}
            """

        @Test("is ready only when its start-up is through and requests are taken")
        func startup() async throws {
            try await withScratch { directory in
                let manager = try ServiceManager(at: "\(directory.path)/notify")
                for pipe in ["begun", "go"] { directory.makePipe(pipe) }
                try await Self.begin(Self.startingYAML, in: directory, telling: manager) { process, endpoint in
                    try await directory.read("begun")
                    #expect(try await manager.next().map { $0.prefix(7) } == ["STATUS="])
                    let early = try await Forgebus.impatient(["run", "echo", "-e", endpoint])
                    #expect(early.code == 75, "\(early)")
                    let waits = try await Forgebus.run(["ping", "-e", endpoint])
                    #expect(waits.code == 75 && waits.output.first?.contains(" is starting") == true, "\(waits)")
                    #expect(manager.hasHeardNothing)
                    try await directory.release("go")
                    #expect(try await manager.next() == ["READY=1", "STATUS=Serves at \(endpoint)."])
                    let ping = try await Forgebus.run(["ping", "-e", endpoint])
                    #expect(ping.code == 0 && ping.output.first?.hasPrefix("forgebus is ready") == true, "\(ping)")
                    process.send(SIGTERM)
                }
            }
        }

        @Test("is never ready where it is told to stop during its start-up")
        func stoppedEarly() async throws {
            try await withScratch { directory in
                let manager = try ServiceManager(at: "\(directory.path)/notify")
                for pipe in ["begun", "go"] { directory.makePipe(pipe) }
                try await Self.begin(Self.startingYAML, in: directory, telling: manager) { process, _ in
                    try await directory.read("begun")
                    #expect(try await manager.next().map { $0.prefix(7) } == ["STATUS="])
                    process.send(SIGTERM)
                    #expect(try await manager.next().first == "STOPPING=1")
                }
                #expect(manager.hasHeardNothing)
            }
        }

        @Test("says that it stops when its drain begins, and for how long that may take", arguments: [SIGTERM, SIGINT])
        func stopping(_ signal: Int32) async throws {
            let manager = try ServiceManager(at: "/tmp/forgebus-test-\(UUID().uuidString.prefix(13))")
            defer { unlink(manager.address) }
            let environment = ["NOTIFY_SOCKET": manager.address]
            let outcome = try await WorkerProcess.serve(arguments: ["--drain", "120"], environment: environment) {
                worker in
                #expect(try await manager.next().first == "READY=1")
                for pipe in ["begun", "release"] { worker.directory.makePipe(pipe) }
                let run = try await worker.asked(["run", "hold"]) { _ in
                    try await worker.directory.read("begun")
                    #expect(manager.hasHeardNothing)
                    worker.stop(signal)
                    let notice = try await manager.next()
                    #expect(notice.first == "STOPPING=1" && notice.last == "EXTEND_TIMEOUT_USEC=150000000")
                    #expect(notice.count == 3 && notice[1].contains("120.0 s"))
                    try await worker.directory.release("release")
                }
                #expect(run.code == 0, "\(run)")
            }
            #expect(outcome.code == 0, "\(outcome)")
            #expect(manager.hasHeardNothing)
        }

        #if os(Linux)
        @Test("finds the manager also at an abstract socket")
        func abstract() async throws {
            let manager = try ServiceManager(at: "@forgebus-test-\(UUID().uuidString)")
            let outcome = try await WorkerProcess.serve(environment: ["NOTIFY_SOCKET": manager.address]) { worker in
                let notice = try await manager.next()
                #expect(notice == ["READY=1", "STATUS=Serves at \(worker.endpoint)."])
            }
            #expect(outcome.code == 0)
            #expect(try await manager.next().first == "STOPPING=1")
        }
        #endif

        @Test("warns that it cannot tell a manager who is not there, and serves", arguments: BadSocket.all)
        func badSocket(_ bad: BadSocket) async throws {
            let outcome = try await WorkerProcess.serve(environment: ["NOTIFY_SOCKET": bad.address]) { worker in
                let run = try await worker.asked("run", "echo", "text=all the same")
                #expect(run.code == 0, "\(run)")
                // It takes runs before it has told of it.
                try await worker.process.errors.first(containing: "could not be notified")
            }
            #expect(outcome.code == 0, "\(outcome)")
            let warnings = outcome.errors.filter { $0.contains("warning") && $0.contains("could not be notified") }
            #expect(warnings.count == 2, "\(outcome)")
            #expect(warnings.allSatisfy { $0.contains(bad.named) }, "\(warnings)")
        }

        @Test("goes on after the signal to reload when it has nothing to read anew")
        func reload() async throws {
            let manager = try ServiceManager(at: "/tmp/forgebus-test-\(UUID().uuidString.prefix(13))")
            defer { unlink(manager.address) }
            let outcome = try await WorkerProcess.serve(environment: ["NOTIFY_SOCKET": manager.address]) { worker in
                worker.process.send(SIGHUP)
                try await worker.process.errors.first(containing: "SIGHUP has no effect")
                #expect(try await worker.asked("ping").code == 0)
            }
            #expect(outcome.code == 0, "\(outcome)")
        }

        @Test("is one that was given a socket: another tells nobody, and a SIGHUP ends it")
        func unmanaged() async throws {
            #expect(NotifySocket(environment: [:]) == nil)
            #expect(NotifySocket(environment: ["NOTIFY_SOCKET": ""]) == nil)
            let outcome = try await WorkerProcess.serve(environment: ["NOTIFY_SOCKET": ""]) { worker in
                worker.stop(SIGHUP)
            }
            #expect(outcome.status == .signaled(SIGHUP), "\(outcome)")
            #expect(!outcome.errors.contains { $0.contains("told") }, "\(outcome)")
        }

        @Test("says each thing in a line of its own, whatever its endpoint is called")
        func lines() {
            let notice = ServiceNotice.Notice.ready(endpoints: ["ipc:///a\nSTOPPING=1", "ipc:///b"])
            #expect(notice.text == "READY=1\nSTATUS=Serves at ipc:///a\\nSTOPPING=1 ipc:///b.")
        }

        /// Starts a worker and does not wait for it to be ready; `body` tells it to stop.
        private static func begin(
            _ yaml: String,
            in directory: Scratch,
            telling manager: ServiceManager,
            body: @Sendable (RunningProcess, String) async throws -> Void
        ) async throws {
            let file = try directory.write(yaml, to: "worker.yaml")
            let endpoint = "ipc://\(directory.path)/worker.ipc"
            let start = ["worker", "--config", file, "--listen", endpoint]
            let environment = directory.stateHome.merging(["NOTIFY_SOCKET": manager.address]) { $1 }
            let (_, outcome) = try await Forgebus.start(start, environment: environment) { process in
                try await body(process, endpoint)
            }
            #expect(outcome.code == 0, "\(outcome)")
        }
    }
}

/// A value of NOTIFY_SOCKET at which nobody is told anything.
struct BadSocket: CustomTestStringConvertible, Sendable {
    let address: String
    let named: String

    static let all = [
        BadSocket(address: "/tmp/forgebus-test-nobody", named: "No such file"),
        BadSocket(address: "notify", named: "@"),
        BadSocket(address: "vsock:2:1234", named: "@"),
        BadSocket(address: "/" + String(repeating: "x", count: 200), named: " 107 bytes"),
    ]

    var testDescription: String { String(address.prefix(24)) }
}
