public import ForgeBusProtocol
public import ZeroMQ

/// The workers of a fleet: which should answer, where, and with which key.
///
/// Every name of the inventory is in every answer about the fleet, so silence is an answer, too.
public struct Inventory: Hashable, Sendable {
    /// The workers, in the order of their names.
    public let workers: [Worker]
    /// The monitors that workers must have.
    public let expectations: [Expectation]

    /// One worker of a fleet.
    public struct Worker: Hashable, Sendable {
        /// The name that the operator gave the worker; the worker tells the same name in WELCOME.
        public let name: Name
        /// Where the worker listens.
        public let endpoint: Endpoint
        /// The worker's public key; nil for a worker without keys.
        public let key: PublicKey?
        /// What the operator says of the worker, such as its role; a ``Selection`` chooses workers by it.
        public let labels: [String: String]

        /// Makes a worker of an inventory.
        public init(_ name: Name, at endpoint: Endpoint, key: PublicKey?, labels: [String: String] = [:]) {
            (self.name, self.endpoint, self.key, self.labels) = (name, endpoint, key, labels)
        }
    }

    /// Monitors that some workers must have; a worker without one of them is told as `missing`.
    public struct Expectation: Hashable, Sendable {
        /// The workers that must have the monitors.
        public let selection: Selection
        /// The names of the monitors.
        public let monitors: [Name]

        /// Makes an expectation.
        public init(on selection: Selection, monitors: [Name]) {
            (self.selection, self.monitors) = (selection, monitors)
        }
    }

    /// Makes an inventory.
    public init(workers: [Worker], expectations: [Expectation] = []) {
        self.workers = workers.sorted { $0.name < $1.name }
        self.expectations = expectations
    }
}

/// Chooses workers of an inventory.
public enum Selection: Hashable, Sendable {
    /// All workers.
    case all
    /// The workers with these names.
    case names(Set<Name>)
    /// The workers that have all these labels with these values.
    case labels([String: String])
    /// The workers that at least one of these selections chooses.
    case any([Selection])

    /// Whether the selection chooses this worker.
    public func contains(_ worker: Inventory.Worker) -> Bool {
        switch self {
        case .all: true
        case .names(let names): names.contains(worker.name)
        case .labels(let labels): labels.allSatisfy { worker.labels[$0.key] == $0.value }
        case .any(let selections): selections.contains { $0.contains(worker) }
        }
    }
}
