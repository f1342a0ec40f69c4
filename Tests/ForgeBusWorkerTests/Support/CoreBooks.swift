import ForgeBusProtocol

@testable import ForgeBusWorker

/// What tests look at in the owners of the core's state.
extension WorkerState {
    var queues: RunQueues { runs.queues }
    var bounds: RunBounds { runs.bounds }
    var ended: LargeTable<Name, EndedRun> { runs.ended }
    var lanes: [MonitorLane] { monitors.lanes }
    var deadlines: Deadlines { step.deadlines }
    var isDurable: Bool { configuration.isDurable }
}

extension RunMachine {
    var holdsSlot: Bool { account.slot == .held }
    var isActive: Bool { account.isActive }
    var isParked: Bool { parkedWaiter != nil }
    /// The signals that it waits for.
    var awaited: [WaiterID: Name] {
        Dictionary(
            uniqueKeysWithValues: waiters.compactMap { waiter, signal in signal.map { (waiter, $0) } }
        )
    }
}
