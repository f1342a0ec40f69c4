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

    /// The most workers that an inventory which is read from a file may have.
    public static let maximumCount = 10_000

    /// One worker of a fleet.
    public struct Worker: Hashable, Sendable {
        /// The name that the operator gave the worker; the worker tells the same name in WELCOME.
        public let name: Name
        /// Where the worker listens.
        public let endpoint: Endpoint
        /// The worker's public key; nil for a worker without keys.
        public let key: PublicKey?
        /// What the operator says of the worker, such as its role; a ``Selection`` chooses workers by it.
        ///
        /// In a file, a worker has at most 32 labels. Each label and each value has 1 to 128 characters from
        /// `A-Z a-z 0-9 _ - . / : @ +`.
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

extension Inventory {
    /// The workers that `selection` chooses, in the order of their names.
    ///
    /// - Throws: `BusError` with code `unknown_worker` if the selection names a worker that the inventory does not have,
    ///   or has labels that no worker has together. Each part of ``Selection/any(_:)`` must choose a worker.
    public func workers(on selection: Selection) throws(BusError) -> [Worker] {
        if let flaw = selection.flaw(among: workers.map { ($0.name, $0.labels) }) { throw flaw }
        return workers.filter(selection.contains)
    }
}
