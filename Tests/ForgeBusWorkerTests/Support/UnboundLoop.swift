import TestSupport

@testable import ForgeBusWorker
@testable import ZeroMQ

extension WorkerLoop {
    /// A loop without endpoints, on a reactor of its own, where ``Operator`` may do what it wants.
    static func unbound(_ monitors: [HostedMonitor] = []) async throws -> WorkerLoop {
        let configuration = CoreConfiguration(
            name: "test",
            keepsRecords: false,
            durability: .memory,
            retention: .seconds(60),
            signalRetention: .seconds(60),
            cancelGrace: .seconds(30),
            limits: WorkerLimits(),
            access: try Operator.policy(),
            pipelines: [],
            monitors: monitors,
            runPrefix: "run"
        )
        let reactor = try Reactor(label: "unbound")
        let socket = try await reactor.open(Router.self, options: SocketOptions(for: Router.self))
        let core = WorkerState(configuration)
        return WorkerLoop(core, on: reactor, socket: socket, store: nil, audit: { _ in }, logger: .silent)
    }
}
