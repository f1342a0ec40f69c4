import ForgeBusFleet
import ForgeBusProtocol
import Foundation
import Logging
import Subprocess
import Synchronization
import ZeroMQ

/// Measures how long an asker needs until it has the receipts of a whole fleet: 20 real workers and 980 simulated ones.
///
/// The workers are in processes of their own, which share the machine's processors with the asker.
struct FleetMeasure {
    /// The command-line words that select the measures.
    static let lines = ["fleet-receipts", "fleet-suspended", "fleet-resources"]

    private let keys = KeyPair()
    private let gatewayKeys = KeyPair()
    private static let suspended = 100
    private static let samples = 20

    /// Measures and prints the lines of the table that `names` select.
    func print(_ names: [String]) async throws {
        let askers = [keys.publicKey, gatewayKeys.publicKey]
        var hosts = [FleetHost.Process(.real, from: 0, count: 20, askers)]
        hosts.append(FleetHost.Process(.simulated, from: 900, count: Self.suspended, askers))
        for first in stride(from: 20, to: 900, by: 220) {
            hosts.append(FleetHost.Process(.simulated, from: first, count: 220, askers))
        }
        try await FleetHost.Process.withAll(hosts[...]) { workers, processes in
            let inventory = Inventory(workers: workers)
            guard inventory.workers.count == 1000 else {
                throw TransportMeasureFailure(description: "Only \(workers.count) workers have started.")
            }
            for name in names {
                switch name {
                case "fleet-receipts": try await receipts(inventory)
                case "fleet-suspended": try await suspension(inventory, processes[1])
                case "fleet-resources": try await resources(inventory)
                default: fatalError("There is no measure \(name); FleetMeasure.lines lists the measures.")
                }
            }
        }
    }

    private func client(_ inventory: Inventory, patience: Duration = .seconds(30)) throws -> FleetClient {
        try FleetClient(
            inventory,
            as: keys,
            patience: patience,
            logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    /// Notifies all workers, and checks that all of them have converged; in milliseconds.
    private func notify(_ client: FleetClient, _ count: Int = 1000) async throws -> Double {
        let begin = ContinuousClock.now
        let report = try await client.notify("policy.password-age")
        let time = (ContinuousClock.now - begin).inMicroseconds / 1000
        guard report.counts == [.converged: count] else {
            throw TransportMeasureFailure(description: "Not all workers have converged: \(report.counts)")
        }
        return time
    }

    private func receipts(_ inventory: Inventory) async throws {
        var (cold, warm): ([Double], [Double]) = ([], [])
        for _ in 0..<5 {
            let client = try client(inventory)
            cold.append(try await notify(client))
            for _ in 0..<4 { warm.append(try await notify(client)) }
            await client.close()
        }
        Table.row(Footprint.Amount(name: "receipts of 1,000 workers, cold", unit: "ms", limit: 3000, values: cold))
        Table.row(Footprint.Amount(name: "receipts of 1,000 workers, warm", unit: "ms", limit: 300, values: warm))
    }

    /// How much longer 900 workers take while 100 others are suspended, cold.
    private func suspension(_ inventory: Inventory, _ process: pid_t) async throws {
        let others = Inventory(workers: inventory.workers.filter { !(900..<1000).contains($0.number) })
        var comparison = TransportComparison(
            name: "900 of 1,000, 100 suspended",
            unit: "ms",
            moreIsBetter: false,
            target: 1.5
        )
        for _ in 0..<Self.samples {
            let alone = try client(others)
            comparison.floor.append(try await notify(alone, 900))
            await alone.close()
            kill(process, SIGSTOP)
            defer { kill(process, SIGCONT) }
            let client = try client(inventory, patience: .seconds(3))
            let begin = ContinuousClock.now
            let last = Mutex((count: 0, time: Duration.zero))
            let report = try await client.notify("policy.password-age") { lines in
                guard lines.first?.state == .converged else { return }
                last.withLock { $0 = ($0.count + 1, ContinuousClock.now - begin) }
            }
            guard report.counts == [.converged: 900, .silent: Self.suspended] else {
                throw TransportMeasureFailure(description: "100 workers were suspended: \(report.counts)")
            }
            comparison.ours.append(last.withLock { $0.time }.inMicroseconds / 1000)
            await client.close()
        }
        Table.row(comparison)
    }

    /// What 1,000 open connections cost the asker.
    private func resources(_ inventory: Inventory) async throws {
        let before = try (ProcessFigures.own.privateBytes, ProcessFigures.own.openFiles)
        let client = try client(inventory)
        _ = try await notify(client)
        let after = try (ProcessFigures.own.privateBytes, ProcessFigures.own.openFiles, ProcessFigures.own.threads)
        await client.close()
        row("asker", memory: after.0 - before.0, files: after.1 - before.1, of: 1000, threads: after.2)
        let (all, one) = try await (gateway(inventory), gateway(Inventory(workers: [inventory.workers[0]])))
        row("gateway", memory: all.0 - one.0, files: all.1 - one.1, of: 999, threads: all.2)
    }

    private func row(_ who: String, memory: Double, files: Int, of workers: Double, threads: Int) {
        let memory = memory / workers / 1024
        Table.row(Footprint.Amount(name: "\(who)'s memory for a worker", unit: "KiB", limit: 64, values: [memory]))
        let files = Double(files) / workers
        Table.row(Footprint.Amount(name: "\(who)'s descriptors for a worker", unit: "", limit: 3, values: [files]))
        Table.row(Footprint.Amount(name: "\(who)'s threads", unit: "", limit: 12, values: [Double(threads)]))
    }

    /// The private bytes, open files and threads of a gateway that knows the monitors of all workers.
    private func gateway(_ inventory: Inventory) async throws -> (Double, Int, Int) {
        let directory = try BenchDirectory()
        defer { directory.remove() }
        let (fleet, access, certificate) = (
            directory.file("fleet.yaml"), directory.file("access.yaml"), directory.file("gateway.key_secret")
        )
        try Certificate(gatewayKeys).write(to: directory.file("gateway"))
        let workers = inventory.workers.map {
            "  \($0.name): {endpoint: \"\($0.endpoint)\", key: \"\($0.key?.description ?? "")\"}"
        }
        try write("workers:\n" + workers.joined(separator: "\n") + "\n", to: fleet)
        try write(
            """
            principals:
              operator: {keys: ["\(keys.publicKey)"], read: [">"], tokens: [{hash: "\(Self.tokenHash)"}]}
              gateway: {keys: ["\(gatewayKeys.publicKey)"], act_as: [read.operator]}

            """,
            to: access
        )
        let process = GatewayProcess([
            "--fleet", fleet, "--fleet-reader", "operator", "--certificate", certificate, "--access", access,
        ])
        let count = inventory.workers.count
        return try await process.serve { port, figures in
            let connection = try HTTPConnection(port: port)
            let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(Self.token)\r\n\r\n"
            for _ in 0..<600 {
                _ = try connection.ask(request)
                let answer = connection.answer
                let isThere = answer.contains("forgebus_fleet_workers{state=\"here\"} \(count)\n")
                if isThere, answer.contains("forgebus_fleet_monitors{monitor=\"password-age\",state=\"ok\"} \(count)\n")
                {
                    return try (figures.privateBytes, figures.openFiles, figures.threads)
                }
                try await Task.sleep(for: .milliseconds(100))
            }
            throw TransportMeasureFailure(description: "The gateway does not know all workers:\n\(connection.answer)")
        }
    }

    private func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private static let token = "fleet-of-the-benchmark"
    private static let tokenHash = "9fa20418a3e5cd620a102377ca275beb680df6d5bbcb8daf44abcd25760b7fa8"
}

extension Inventory.Worker {
    fileprivate var number: Int { Int(name.text.dropFirst("node-".count)) ?? 0 }
}

extension FleetHost {
    /// The process of some workers.
    struct Process: Sendable {
        private let arguments: [String]
        private let count: Int

        init(_ kind: Kind, from first: Int, count: Int, _ askers: [PublicKey]) {
            arguments = [kind.rawValue, "\(first)", "\(count)", askers.map(\.description).joined(separator: ",")]
            self.count = count
        }

        /// Starts all processes, passes their workers and their ids to `body`, and ends them.
        static func withAll(
            _ hosts: ArraySlice<Process>,
            _ workers: [Inventory.Worker] = [],
            _ processes: [pid_t] = [],
            _ body: @escaping @Sendable ([Inventory.Worker], [pid_t]) async throws -> Void
        ) async throws {
            guard let host = hosts.first else { return try await body(workers, processes) }
            _ = try await Subprocess.run(
                .path("/proc/self/exe"),
                arguments: .init(host.arguments),
                input: .inputWriter,
                output: .sequence,
                error: .currentStandardError
            ) { execution in
                var (all, left) = (workers, host.count)
                for try await line in execution.standardOutput.strings() {
                    let words = line.split(separator: " ").map(String.init)
                    guard words.count == 3 else { continue }
                    let key = try PublicKey(words[2])
                    all.append(Inventory.Worker(try Name(words[0]), at: try Endpoint(words[1]), key: key))
                    left -= 1
                    if left == 0 { break }
                }
                try await withAll(hosts.dropFirst(), all, processes + [execution.processIdentifier.value], body)
                try await execution.standardInputWriter.finish()
            }
        }
    }
}
