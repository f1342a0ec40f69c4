/// Prints every measure there is: what it was, what it is held against, and whether the target holds.
@main
struct Bench {
    static func main() async throws {
        let wanted = Set(CommandLine.arguments.dropFirst())
        let known = ["orchestrators", "transport", "bus"] + BusMeasure.lines
        guard wanted.isSubset(of: known) else {
            print("usage: forgebus-bench [\(known.joined(separator: "|"))] …")
            return
        }
        func isWanted(_ section: String) -> Bool { wanted.isEmpty || wanted.contains(section) }
        if isWanted("orchestrators") {
            Table.head("The orchestrators against the plain design", "ours", "plain", "times faster")
            for comparison in await measureOrchestrators() { Table.row(comparison) }
        }
        if isWanted("transport") {
            Table.head("ZeroMQ against plain C over libzmq", "ours", "C", "ours / C")
            for comparison in try await TransportMeasure().all() { Table.row(comparison) }
        }
        let lines = isWanted("bus") ? BusMeasure.lines : BusMeasure.lines.filter(wanted.contains)
        if !lines.isEmpty {
            Table.head("A worker against a server in plain C that decides nothing", "ours", "C", "ours / C")
            for line in lines { Table.row(try await BusMeasure().line(line)) }
        }
    }
}
