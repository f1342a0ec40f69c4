import ForgeBusProtocol

@testable import ForgeBusWorker

/// What tests look at in the owners of the core's state.
extension WorkerCore {
    var queues: RunQueues { runs.queues }
    var bounds: RunBounds { runs.bounds }
    var ended: LargeTable<Name, EndedRun> { runs.ended }
    var gates: GateBook { signals.gates }
    var lanes: [MonitorLane] { monitors.lanes }
    var evaluations: EvaluationBook { monitors.evaluations }
    var ledger: RequestLedger { requests.ledger }
    var deadlines: Deadlines { out.deadlines }
    var isDurable: Bool { configuration.isDurable }
}

extension RunMachine {
    var holdsSlot: Bool { account.slot == .held }
    var isActive: Bool { account.isActive }
    var isParked: Bool { parkedWaiter != nil }
    /// The signals that it waits for.
    var awaited: [WaiterID: Name] {
        Dictionary(
            uniqueKeysWithValues: (waits?.byWaiter ?? []).compactMap { waiter, signal in signal.map { (waiter, $0) } }
        )
    }
}
