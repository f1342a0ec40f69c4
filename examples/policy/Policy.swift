import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Synchronization
import ZeroMQ

/// A policy monitor, which checks a rule for a fleet of services again after each notification.
///
/// No service may run a withdrawn image. One monitor enforces this rule, for notifications from any sender. A sender
/// that waits for the evaluation learns if an action fails.
@main
struct Policy {
    static func main() async throws {
        let fleet = Fleet(["billing": "v3", "search": "v7", "mail": "v7"])
        let monitor = MonitorOrchestrator(interval: 300)
        monitor.register(StopWithdrawn(fleet: fleet))

        let worker = try BusWorker(
            WorkerConfiguration(endpoints: [Endpoint("tcp://127.0.0.1:*")]),
            monitors: [HostedMonitor("withdrawn-images", monitor, topics: ["images.*.withdrawn", "fleet.>"])]
        )
        let serving = Task { try await worker.run() }
        let client = BusClient(try await worker.endpoints[0], source: "registry")

        fleet.withdraw("v7")
        try await show(client.notifyAndWait("images.shop.withdrawn"), fleet)
        fleet.pin("billing", to: "v7")
        try await show(client.notifyAndWait("fleet.billing.changed"), fleet)

        await client.close()
        serving.cancel()
        try await serving.value
    }

    static func show(_ evaluation: Evaluation, _ fleet: Fleet) {
        for monitor in evaluation.monitors {
            print("\(monitor.monitor): \(monitor.state.rawValue), running \(fleet.running.joined(separator: " "))")
        }
    }
}

struct StopWithdrawn: MonitorAction, FallibleAction {
    let id: ActionID = "stop-withdrawn"
    let priority: ActionPriority = .critical
    let fleet: Fleet

    func shouldRun() async -> Bool { !fleet.violations.isEmpty }

    /// Stops the services that break the rule; fails if one cannot be stopped, and the sender gets the reason.
    func run() async -> ActionResult {
        fleet.stopViolations()
        let left = fleet.violations
        return left.isEmpty ? .completed : .failed("cannot stop \(left.joined(separator: ", ")): pinned")
    }
}

/// The services with their images, which the policy checks.
final class Fleet: Sendable {
    private struct State {
        var images: [String: String]
        var withdrawn: Set<String> = []
        var pinned: Set<String> = []

        var violations: [String] { images.filter { withdrawn.contains($0.value) }.keys.sorted() }
    }

    private let state: Mutex<State>

    init(_ images: [String: String]) { state = Mutex(State(images: images)) }

    var running: [String] { state.withLock { $0.images.keys.sorted() } }

    var violations: [String] { state.withLock { $0.violations } }

    func withdraw(_ image: String) { _ = state.withLock { $0.withdrawn.insert(image) } }

    func pin(_ service: String, to image: String) {
        state.withLock { state in
            state.images[service] = image
            state.pinned.insert(service)
        }
    }

    func stopViolations() {
        state.withLock { state in
            for service in state.violations where !state.pinned.contains(service) { state.images[service] = nil }
        }
    }
}
