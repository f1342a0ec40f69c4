import ForgeBusFleet
import ForgeBusProtocol
import Foundation

/// The metrics of a fleet: as many as there are monitors and states, however many workers there are.
enum FleetMetrics {
    static func lines(_ summary: FleetBoard.Summary) -> [String] {
        let monitors = summary.monitors.sorted { $0.key < $1.key }
        let oldest = summary.oldest.sorted { $0.key < $1.key }
        return family(
            "forgebus_fleet_workers",
            "Workers of the fleet, by what the gateway knows of each.",
            workers.map { ("state=\"\($0.rawValue)\"", Double(summary.workers[$0] ?? 0)) }
        )
            + family(
                "forgebus_fleet_monitors",
                "On how many workers that answer a monitor is in a state.",
                monitors.flatMap { monitor, counts in
                    states.map { state in
                        ("monitor=\"\(monitor)\",state=\"\(state.rawValue)\"", Double(counts[state] ?? 0))
                    }
                }
            )
            + family(
                "forgebus_fleet_oldest_evaluation_seconds",
                "How long ago the latest cycle of a monitor began, on the answering worker where that is the longest.",
                oldest.map { ("monitor=\"\($0.key)\"", Double($0.value.components.seconds)) }
            )
    }

    /// The states of workers.
    private static let workers: [FleetState] = [
        .here, .silent, .notAsked, .refused, .wrongKey, .wrongWorker, .tooOld,
    ]

    /// The states of monitors.
    private static let states: [FleetState] = [
        .converged, .ok, .failed, .overdue, .notYet, .waived, .excluded, .missing, .tooOld,
    ]

    private static func family(_ name: String, _ help: String, _ values: [(labels: String, number: Double)]) -> [String]
    {
        guard !values.isEmpty else { return [] }
        return ["# HELP \(name) \(help)", "# TYPE \(name) gauge"]
            + values.map { "\(name){\($0.labels)} \(Int64($0.number))" }
    }
}

extension LiveFleet {
    /// The numbers of the fleet, with the monitors that the sender may read where they are.
    ///
    /// The workers are asked for the sender, so what one of them hides is not counted.
    func summary(for sender: Sender) async throws(BusError) -> FleetBoard.Summary {
        let list = Request.Command.list(ListRequest(kind: .monitors))
        try sender.check(list)
        let report = try await monitors(.all, since: nil, on: .all, for: sender.principal).allowed()
        var readable: [Name: Set<String>] = [:]
        for line in report.lines {
            if let monitor = line.subject { readable[line.worker, default: []].insert(monitor) }
        }
        return summary { worker, monitor in readable[worker]?.contains(monitor.text) == true }
    }
}
