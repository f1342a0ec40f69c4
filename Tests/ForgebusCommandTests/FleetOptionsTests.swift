import ForgeBusConfiguration
import ForgeBusFleet
import ForgeBusProtocol
import TestSupport
import Testing
import ZeroMQ

@testable import forgebus

@Suite("The options of a command about a fleet")
struct FleetOptionsTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("fleet.yaml")
        try directory.write(
            """
            workers:
              web-01: {endpoint: "tcp://10.1.0.11:7717", key: "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"}
              db-01: {endpoint: "tcp://127.0.0.1:7717", labels: {role: db}}
            """,
            to: "fleet.yaml"
        )
    }

    /// The status with which a command would end, in which these options are read.
    private func status(_ arguments: [String], _ environment: [String: String] = [:]) async -> Int32 {
        do {
            let options = try FleetOptions.parse(arguments)
            let inventory = try await options.inventory(environment)
            _ = try options.keys(for: inventory.workers(on: options.selection), environment)
            return 0
        } catch let error as BusError {
            return ExitStatus(error).rawValue
        } catch let error as ConfigurationError {
            return ExitStatus(error).rawValue
        } catch {
            return FleetOptions.exitCode(for: error).rawValue
        }
    }

    @Test("choose workers of the inventory, all of them by default, and say how patiently they are asked")
    func read() async throws {
        let usual = try FleetOptions.parse([])
        #expect(usual.selection == .all && usual.window == 200 && usual.patience == .seconds(10))
        let options = try FleetOptions.parse(
            ["--fleet", path, "--on", "web-01", "--on", "role=db", "--window", "10000", "--patience", "2m"]
        )
        #expect(options.selection == .any([.names(["web-01"]), .labels(["role": "db"])]))
        #expect(options.window == 10_000 && options.patience == .seconds(120))
        let inventory = try await options.inventory([:])
        #expect(try inventory.workers(on: options.selection).map(\.name) == ["db-01", "web-01"])
        let named = try await usual.inventory(["FORGEBUS_FLEET": path])
        #expect(named == inventory)
    }

    @Test(
        "are refused with 64 if they cannot be understood",
        arguments: [
            ["--on", ""], ["--on", "role=web,web-01"], ["--on", "a b"], ["--window", "0"], ["--window", "10001"],
            ["--patience", "0"], ["--patience", "soon"], ["--server-key", "a"], [],
        ]
    )
    func usage(_ arguments: [String]) async {
        let named = arguments.isEmpty ? [] : ["--fleet", path]
        #expect(await status(named + arguments, ["FORGEBUS_FLEET": ""]) == 64)
    }

    @Test("end a command with 78 if the inventory is wrong, and with 65 if it does not have the chosen worker")
    func inventory() async throws {
        #expect(await status(["--fleet", directory.file("absent.yaml")]) == 78)
        #expect(await status(["--fleet", path, "--on", "web-02"]) == 65)
        #expect(await status(["--fleet", path, "--on", "role=web"]) == 65)
        try directory.write("workers: {}\n", to: "fleet.yaml")
        #expect(await status(["--fleet", path]) == 78)
    }

    @Test("need keys of the command's own if a chosen worker has a key")
    func keys() async throws {
        let pair = KeyPair()
        try Certificate(pair).write(to: directory.file("operator"))
        let own = directory.file("operator.key_secret")
        #expect(await status(["--fleet", path]) == 78)
        #expect(await status(["--fleet", path, "--on", "db-01"]) == 0)
        #expect(await status(["--fleet", path, "--certificate", own]) == 0)
        #expect(await status(["--fleet", path, "--certificate", directory.file("operator.key")]) == 78)
        let options = try FleetOptions.parse(["--fleet", path])
        let workers = try await options.inventory([:]).workers
        #expect(try options.keys(for: workers, ["FORGEBUS_CERTIFICATE": own])?.publicKey == pair.publicKey)
    }
}
