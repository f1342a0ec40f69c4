import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import TestSupport
import ZeroMQ

@testable import ForgeBusWorker

/// What the workers of a simulated fleet serve, and to whom.
enum FleetSetting {
    /// What the askers may do at a worker.
    enum Access: CaseIterable {
        case everything
        case nothing
        /// The worker does not know their keys.
        case unknown
    }

    static let topic: Name = "policy.age"
    static let names: [Name] = ["node-1", "node-2", "node-3", "node-4", "node-5"]
    /// In the inventory of some questions, but nowhere else.
    static let ghost: Name = "node-9"
    static let pipeline: Name = "remedy"
    static let retention = Duration.seconds(30 * 24 * 3600)

    static let asker = AccessPolicy.Principal("ops", key: key(1))
    static let operatorOfPauses = AccessPolicy.Principal("root", key: key(2))
    static let policies: [Access: AccessPolicy] = [
        .everything: policy(AccessPolicy.Grants([.notify: all, .run: all, .read: all])),
        .nothing: policy(AccessPolicy.Grants()), .unknown: policy(AccessPolicy.Grants()),
    ]

    private static let all = AccessPolicy.Grant(allow: [">"])

    private static func policy(_ grants: AccessPolicy.Grants) -> AccessPolicy {
        let own = AccessPolicy.Grants(Dictionary(uniqueKeysWithValues: Right.own.map { ($0, all) }))
        let members = [
            AccessPolicy.Member("ops", keys: [key(1)], grants: grants),
            AccessPolicy.Member("root", keys: [key(2)], grants: own),
        ]
        do throws(WorkerError) { return try AccessPolicy(members) } catch { fatalError(error.description) }
    }

    private static func key(_ number: UInt8) -> AccessPolicy.Key {
        guard let key = try? PublicKey(bytes: [UInt8](repeating: number, count: PublicKey.sizeInBytes)) else {
            fatalError("No key.")
        }
        return key
    }

    /// One monitor, or two; with an interval or without.
    static let monitors: [[HostedMonitor]] = [
        [monitor("age", interval: nil)],
        [monitor("age", interval: nil), monitor("disk", interval: nil, quiet: 300)],
        [monitor("age", interval: 20), monitor("tls", interval: nil, topics: ["tls"])],
        [monitor("age", interval: nil, quiet: 50), monitor("disk", interval: 45)],
    ]

    static let timeLimit = Duration.seconds(4)

    private static func monitor(
        _ name: Name,
        interval: Double?,
        topics: [NamePattern] = ["policy.>"],
        quiet: Int? = nil
    ) -> HostedMonitor {
        let debounce = quiet.map {
            HostedMonitor.Debounce(quiet: .milliseconds($0), maximumWait: .milliseconds(3 * $0))
        }
        let monitor = MonitorOrchestrator(interval: interval)
        return HostedMonitor(name, monitor, topics: topics, debounce: debounce, timeLimit: timeLimit)
    }

    static let remedy: HostedPipeline = {
        let pipeline = PipelineOrchestrator()
        pipeline.register(Work())
        return HostedPipeline(FleetSetting.pipeline, pipeline)
    }()

    static func configuration(_ name: Name, _ monitors: Int, isDurable: Bool, life: Int) -> CoreConfiguration {
        CoreConfiguration(
            name: name.text,
            keepsRecords: isDurable,
            durability: isDurable ? .fsynced : .memory,
            retention: retention,
            signalRetention: retention,
            cancelGrace: .seconds(5),
            drainTime: .seconds(2),
            limits: WorkerLimits(),
            signals: nil,
            access: policies[.everything] ?? .local,
            pipelines: [remedy],
            monitors: Self.monitors[monitors],
            runPrefix: "run\(life)"
        )
    }
}

private struct Work: PipelineAction {
    let id: ActionID = "work"
    let priority = ActionPriority.medium

    func shouldRun() async -> Bool { true }
    func execute(context: PipelineContext) async -> ActionResult { .completed }
}

extension Received {
    /// A request of the askers or of the operator who pauses monitors.
    convenience init(simulated request: Request, from connection: UInt64, as principal: AccessPolicy.Principal) {
        var fingerprint = Fingerprint.none
        if request.command.isRun {
            var buffer = FrameBuffer()
            request.encode(into: &buffer)
            fingerprint = Fingerprint(of: request, frames: buffer.frames)
        }
        let caller = Caller(ConnectionID(number: connection), principal)
        self.init(request: request, fingerprint: fingerprint, caller: caller, principal: principal)
    }
}

extension Request.Command {
    var isRun: Bool { if case .run = self { true } else { false } }
}
