import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Synchronization
import ZeroMQ

/// A microservice sends notifications; after each, a monitor checks the stock and acts.
///
/// The service sells apples and sends a notification. The monitor does not trust the message: it checks the stock
/// itself, and orders apples if there are too few. Notifications that arrive during a check cause one more check.
@main
struct Recheck {
    static func main() async throws {
        let warehouse = Warehouse(apples: 12)
        let monitor = MonitorOrchestrator()
        monitor.register(Reorder(warehouse: warehouse))

        let worker = try BusWorker(
            WorkerConfiguration(endpoints: [Endpoint("tcp://127.0.0.1:*")]),
            monitors: [HostedMonitor("reorder", monitor, topics: ["stock.>"])]
        )
        let serving = Task { try await worker.run() }

        // The microservice: any process, in any language, anywhere the endpoint can be reached.
        let service = BusClient(try await worker.endpoints[0], source: "shop")
        for sold in [3, 4, 4] {
            warehouse.sell(sold)
            let evaluation = try await service.notifyAndWait("stock.apples.sold", body: .integer(Int64(sold)))
            for monitor in evaluation.monitors {
                let actions = monitor.actions.map(\.action).joined(separator: ", ")
                print(
                    "sold \(sold): \(monitor.monitor) ran \(actions.isEmpty ? "nothing" : actions); stock \(warehouse.apples)"
                )
            }
        }

        await service.close()
        serving.cancel()
        try await serving.value
    }
}

/// Orders apples when there are too few.
///
/// The monitor checks the condition often, so it must be cheap.
struct Reorder: MonitorAction {
    let id: ActionID = "reorder"
    let priority: ActionPriority = .high
    let warehouse: Warehouse

    func shouldRun() async -> Bool { warehouse.apples < 5 }

    func execute() async { warehouse.deliver(20) }
}

/// The stock of apples, which the monitor checks.
final class Warehouse: Sendable {
    private let stock: Mutex<Int>

    init(apples: Int) { stock = Mutex(apples) }

    var apples: Int { stock.withLock { $0 } }

    func sell(_ count: Int) { stock.withLock { $0 -= count } }

    func deliver(_ count: Int) { stock.withLock { $0 += count } }
}
