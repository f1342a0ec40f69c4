import ArgumentParser
import ForgeBusConfiguration
import ForgeBusFleet
import ForgeBusProtocol
import Foundation
import ZeroMQ

/// The options of every command that asks the workers of a fleet.
struct FleetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The inventory, which names the workers of the fleet (also FORGEBUS_FLEET).",
            valueName: "file"
        )
    )
    var fleet: String?

    @Option(
        help: ArgumentHelp(
            "Only these workers: names such as web-01,web-02, or labels such as role=web,zone=a, which a worker must all have; repeat the option for more workers.",
            valueName: "selection"
        ),
        transform: Words.selection
    )
    var on: [Selection] = []

    @Option(
        help: ArgumentHelp(
            "How many connections begin at the same time, at most 10000; 200 by default.",
            valueName: "count"
        )
    )
    var window = 200

    @Option(
        help: ArgumentHelp(
            "How long to wait for the answer of a worker, such as 30s or 2m; 10s by default. A worker that does not answer is silent.",
            valueName: "time"
        ),
        transform: TimeSpan.read
    )
    var patience: Duration = .seconds(10)

    @OptionGroup var own: CertificateOption

    @OptionGroup var form: OutputOptions

    func validate() throws {
        try TimeSpan.check(patience, "--patience", from: .milliseconds(1), to: .seconds(86_400))
        guard (1...Inventory.maximumCount).contains(window) else {
            throw ValidationError("--window must be a number from 1 to \(Inventory.maximumCount); found \(window).")
        }
    }

    /// The workers that `--on` chooses; all workers without this option.
    var selection: Selection { on.isEmpty ? .all : .any(on) }

    /// Reads the inventory, and runs its commands.
    ///
    /// - Throws: A `ValidationError` if neither `--fleet` nor FORGEBUS_FLEET names a file; `ConfigurationError` if the
    ///   inventory is wrong; `BusError` with code `unknown_worker` if `--on` chooses a worker that it does not have.
    func inventory(_ environment: [String: String] = ProcessInfo.processInfo.environment) async throws -> Inventory {
        guard let path = fleet ?? environment.named("FORGEBUS_FLEET") else { throw Errors.noFleet }
        let inventory = try await Inventory(path: path, environment: environment)
        _ = try inventory.workers(on: selection)
        return inventory
    }

    /// The keys with which the command connects to the workers; nil if none of the workers has a key.
    ///
    /// - Throws: `BusError` with code `bad_certificate`, also if a worker has a key and this command has none.
    func keys(
        for workers: [Inventory.Worker],
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(BusError) -> KeyPair? {
        guard let keyed = workers.first(where: { $0.key != nil }) else { return nil }
        guard let keys = try own.keys(environment) else { throw Errors.noOwnKeys(for: keyed.name) }
        return keys
    }
}
