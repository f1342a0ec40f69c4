import Foundation
import Testing

@testable import forgebus

extension CommandLineTests {
    @Suite("The unit for systemd")
    struct ServiceUnitTests {
        let unit: ServiceUnit

        init() throws { unit = try ServiceUnit() }

        @Test(
            "is one that systemd understands to the last line",
            .enabled("systemd-analyze is not installed here: `apt-get install systemd`") {
                await Tool.works("systemd-analyze", "--version")
            }
        )
        func verified() async throws {
            try await withScratch { directory in
                // Where the program it names must be there, the one that was built stands in.
                let text = try DeployFiles.text(ServiceUnit.path)
                    .replacing("/usr/bin/forgebus", with: try Forgebus.path)
                let file = try directory.write(text, to: "forgebus.service")
                let verified = try await Tool.run("systemd-analyze", "verify", "--man=no", file)
                #expect(verified.isSuccess)
                // What it ignores it tells, and succeeds.
                #expect(!verified.text.contains("forgebus.service"), "\(verified.text)")
            }
        }

        @Test(
            "starts a worker that tells systemd, is found by clients, outlives a reload, and stops in the time it has"
        )
        func started() async throws {
            try await withScratch { directory in
                let manager = try ServiceManager(at: "\(directory.path)/notify")
                let (arguments, environment) = try start(in: directory, telling: manager)
                let (_, outcome) = try await Forgebus.start(arguments, environment: environment) { process in
                    let endpoint = "ipc://\(directory.path)/forgebus/worker.ipc"
                    #expect(try await manager.next() == ["READY=1", "STATUS=Serves at \(endpoint)."])
                    process.send(SIGHUP)
                    try await process.errors.first(containing: "SIGHUP has no effect")
                    #expect(try await Forgebus.run(["ping"], environment: environment).code == 0)
                    process.send(SIGTERM)
                }
                #expect(outcome.code == 0, "\(outcome)")
                #expect(directory.has("state/forgebus.sqlite"))
                #expect(try unit.value("ExecReload").hasSuffix("kill -HUP $MAINPID"))
                let wanted = try await manager.next().last?.split(separator: "=").last.flatMap { Int($0) }
                let granted = try #require(try Int(unit.value("TimeoutStopSec"))) * 1_000_000
                #expect(try #require(wanted) <= granted)
            }
        }

        @Test("does not start a worker again that ended for what another start does not mend")
        func restarts() throws {
            let statuses = try DeployFiles.words(unit.value("RestartPreventExitStatus")).compactMap { Int32($0) }
            #expect(statuses == [ExitStatus.badData, .cannotCreate, .configuration].map(\.rawValue))
            #expect(try unit.value("Restart") == "on-failure")
        }

        /// What systemd would start, and with which environment, were the machine's places in `directory`.
        private func start(
            in directory: Scratch,
            telling manager: ServiceManager
        ) throws -> (arguments: [String], environment: [String: String?]) {
            let places = try directory.makePlaces()
            let state = "\(directory.path)/state"
            var environment: [String: String?] = ["STATE_DIRECTORY": state, "NOTIFY_SOCKET": manager.address]
            for line in unit.values("Environment") {
                let parts = line.replacing("%t", with: directory.path).split(separator: "=", maxSplits: 1)
                environment[String(parts[0])] = String(parts[1])
            }
            let words = try DeployFiles.words(unit.value("ExecStart"))
                .map { places.moved($0.replacing("${STATE_DIRECTORY}", with: state)) }
            try #require(words[0] == "/usr/bin/forgebus")
            return (Array(words.dropFirst()), environment)
        }
    }
}
