import ArgumentParser
import ForgeBusConfiguration
import ForgeBusFleet
import ForgeBusProtocol
import Foundation
import Logging

extension FleetOptions {
    /// A question to the chosen workers of a fleet; it tells its progress.
    typealias Question =
        @Sendable (FleetClient, Selection, FleetClient.Progress?) async throws(BusError) -> FleetReport

    /// Asks the fleet, prints the report, and ends the command with the status of the worst answer.
    ///
    /// - Parameters:
    ///   - columns: What the report is about.
    ///   - question: Asks the fleet.
    ///   - advice: What to type next, for people.
    /// - Throws: An `ExitCode` for every status except ``ExitStatus/done``.
    func ask(
        columns: FleetTable.Columns,
        _ question: @escaping Question,
        after advice: (FleetReport) -> [String] = { _ in [] }
    ) async throws {
        let output = Output(form.output, .several)
        let status: ExitStatus
        do {
            let inventory = try await inventory()
            let workers = try inventory.workers(on: selection)
            let client = try fleetClient(of: inventory, for: workers)
            let view = FleetView(output, of: workers.count, columns)
            let ending = await Interruption.ending { () throws(BusError) in
                try await question(client, selection, view.progress)
            }
            await client.close()
            status = try view.end(ending, workers, advice)
        } catch let error as ConfigurationError {
            output.show(error)
            status = .configuration
        } catch let error as BusError {
            output.show(error)
            status = ExitStatus(error.code)
        }
        output.end()
        if status != .done { throw status.exit }
        try Terminal.checkWritten()
    }

    private func fleetClient(
        of inventory: Inventory,
        for workers: [Inventory.Worker]
    ) throws(BusError) -> FleetClient {
        var logger = Logger(label: "forgebus") { StreamLogHandler.standardError(label: $0) }
        // What goes wrong with a connection stands in the worker's line.
        logger.logLevel = .critical
        return try FleetClient(
            inventory,
            as: try keys(for: workers),
            window: window,
            patience: patience,
            keepsConnections: false,
            logger: logger
        )
    }

    /// A command line of this program for the same workers.
    func command(_ words: [String]) -> String {
        let file = fleet.map { ["--fleet", $0] } ?? []
        return (["forgebus", "fleet"] + words + file + own.words).map(\.forShells).joined(separator: " ")
    }
}

extension FleetReport {
    /// The workers on which a monitor is in one of these states.
    func workers(whose monitor: Name, are states: Set<FleetState>) -> Selection {
        .names(Set(lines.filter { $0.subject == monitor.text && states.contains($0.state) }.map(\.worker)))
    }

    /// The status of a command that shows this report.
    var status: ExitStatus {
        switch outcome {
        case .good: .done
        case .bad: .runFailed
        case .open: .tryAgain
        case .refused: .forbidden
        case .nothing: .unheard
        }
    }
}
