import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import TestSupport

/// A monitor whose cycles are recorded, each as what it was told of: a topic and a count, or nothing.
struct Cycles {
    let record = Record<[String]>()
    let monitor: HostedMonitor

    /// A monitor of that name that follows `topics` and does `work` in each cycle.
    init(_ name: Name, _ topics: NamePattern..., work: @escaping @Sendable () async -> Void = {}) {
        let orchestrator = ForgeBusWorkerTests.monitor(
            Check("check") { [record] in
                record.add(MonitorCauses.current.topics.map { "\($0.topic) × \($0.count)" })
                await work()
                return .completed
            }
        )
        monitor = HostedMonitor(name, orchestrator, topics: topics, minimumGap: .zero)
    }

    /// The cycles that had causes.
    var caused: [[String]] { record.values.filter { !$0.isEmpty } }

    /// Waits until a cycle is told of `cause`.
    func told(of cause: String) async {
        var count = 1
        while await !record.reach(count).contains([cause]) { count = record.count + 1 }
    }
}
