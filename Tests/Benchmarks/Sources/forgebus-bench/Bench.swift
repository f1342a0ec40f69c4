import Foundation

/// Takes all measures, or those that the arguments name, and prints them with their comparison values and targets.
@main
struct Bench {
    static func main() async {
        do { try await measure(CommandLine.arguments.dropFirst()) } catch {
            print("A measure failed: \(error)")
            exit(1)
        }
    }

    private static func measure(_ words: ArraySlice<String>) async throws {
        if let kind = words.first.flatMap(FleetHost.Kind.init) {
            return try await FleetHost.serve(kind, Array(words.dropFirst()))
        }
        if let host = words.first.flatMap(CountedHost.init) { return try await host.serve() }
        if let own = words.first.flatMap(Footprint.OwnMeasure.init) { return print(try await own.value()) }
        let sections = [
            "orchestrators", "transport", "bus", "durable", "postgresql", "lists", "gateway", "fleet", "footprint",
            "instructions",
        ]
        let known =
            sections + BusMeasure.lines + DurableMeasure.lines + databaseLines + GatewayMeasure.lines
            + FleetMeasure.lines
            + Footprint.lines
        let wanted = Set(words)
        guard wanted.isSubset(of: known) else {
            print(
                """
                There is no measure \(wanted.subtracting(known).sorted().joined(separator: ", ")).
                usage: forgebus-bench [\(known.joined(separator: "|"))] …
                """
            )
            return
        }
        func isWanted(_ section: String) -> Bool { wanted.isEmpty || wanted.contains(section) }
        if isWanted("orchestrators") {
            Table.head("The orchestrators, compared with unoptimised ones", "ours", "plain", "times faster")
            for comparison in await measureOrchestrators() { Table.row(comparison) }
        }
        if isWanted("transport") {
            Table.head("ZeroMQ, compared with plain C over libzmq", "ours", "C", "ours / C")
            for comparison in try await TransportMeasure().all() { Table.row(comparison) }
        }
        try await bus(isWanted("bus") ? BusMeasure.lines : BusMeasure.lines.filter(wanted.contains))
        try await durable(isWanted("durable") ? DurableMeasure.lines : DurableMeasure.lines.filter(wanted.contains))
        try await database(isWanted("postgresql") ? databaseLines : databaseLines.filter(wanted.contains))
        if isWanted("lists") {
            Table.head("A page of a list of a million items, compared with 10,000 items", "million", "10,000", "ratio")
            for comparison in try await ListMeasure().all() { Table.row(comparison) }
        }
        try await gateway(isWanted("gateway") ? GatewayMeasure.lines : GatewayMeasure.lines.filter(wanted.contains))
        try await fleet(isWanted("fleet") ? FleetMeasure.lines : FleetMeasure.lines.filter(wanted.contains))
        try await footprint(isWanted("footprint") ? Footprint.lines : Footprint.lines.filter(wanted.contains))
        if isWanted("instructions") {
            Table.head("Instructions of a worker for one request", "now", "earlier", "now / earlier")
            try await InstructionMeasure().printAll()
        }
    }

    private static func bus(_ lines: [String]) async throws {
        guard !lines.isEmpty else { return }
        Table.head("A worker, compared with a server in plain C that only answers", "ours", "C", "ours / C")
        for line in lines {
            for keys in [nil, CurveKeys()] { try await BusMeasure(keys: keys).print(line) }
        }
    }

    private static func durable(_ lines: [String]) async throws {
        guard !lines.isEmpty else { return }
        Table.head("A worker with a store on disk, compared with the disk alone", "ours", "disk", "ours / disk")
        for line in lines { try await DurableMeasure().print(line) }
    }

    private static let databaseLines = PostgreSQLMeasure.lines

    private static func database(_ lines: [String]) async throws {
        guard !lines.isEmpty else { return }
        guard let measure = PostgreSQLMeasure() else {
            return print("\nNo PostgreSQL server: `deploy/bench postgresql` starts one.")
        }
        Table.head("A worker with a store in PostgreSQL, compared with pgbench", "ours", "pgbench", "ours / pgbench")
        for line in lines { try await measure.print(line) }
    }

    private static func gateway(_ lines: [String]) async throws {
        guard !lines.isEmpty else { return }
        Table.head("A gateway, compared with the same request by ZeroMQ", "HTTP", "ZeroMQ", "ratio")
        for line in lines { try await GatewayMeasure().print(line) }
    }

    private static func fleet(_ lines: [String]) async throws {
        guard !lines.isEmpty else { return }
        Table.head("A fleet of 20 real and 980 simulated workers", "ours", "", "")
        try await FleetMeasure().print(lines)
    }

    private static func footprint(_ lines: [String]) async throws {
        guard !lines.isEmpty else { return }
        Table.head("The resources of a worker", "ours", "", "")
        for line in lines {
            for amount in try await Footprint.line(line) { Table.row(amount) }
        }
    }
}
