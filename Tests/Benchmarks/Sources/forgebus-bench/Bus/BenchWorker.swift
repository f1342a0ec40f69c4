import BenchActions
import ForgeBusStore
import ForgeBusWorker
import ForgeOrchestrator
import Logging
import ZeroMQ

/// A worker in this process, with the settings of a measure.
struct BenchWorker: Sendable {
    var pipelines: [HostedPipeline] = [.feed()]

    /// The worker must allow at least this number of waiting signals.
    var waitingSignals = 0

    /// The worker must allow at least this number of unfinished runs, and of suspended runs.
    var unfinishedRuns = 0

    /// The worker must allow at least this number of early decisions, in total and for each principal.
    var earlyDecisions = 0

    /// The keys of the worker and its client; nil for a worker without keys.
    var keys: CurveKeys?

    /// The store; nil for a worker that keeps its state in memory.
    var store: (any BusStore)?

    /// Serves until `body` returns.
    func serve<Value>(_ body: (BusWorker, _ endpoint: String) async throws -> Value) async throws -> Value {
        let worker = try BusWorker(
            try configuration,
            pipelines: pipelines,
            monitors: [HostedMonitor("idle", MonitorOrchestrator(), topics: ["config.>"])],
            store: store,
            logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        )
        let serving = Task { try await worker.run() }
        let endpoint = try await worker.endpoints[0].text
        let value = try await body(worker, endpoint)
        serving.cancel()
        try await serving.value
        return value
    }

    private var configuration: WorkerConfiguration {
        get throws {
            var configuration = WorkerConfiguration(endpoints: [try Endpoint("tcp://127.0.0.1:*")])
            configuration.drainTime = .seconds(5)
            configuration.limits.waitingSignals = max(configuration.limits.waitingSignals, waitingSignals)
            configuration.limits.unfinishedRuns = max(configuration.limits.unfinishedRuns, unfinishedRuns)
            configuration.limits.suspendedRuns = max(configuration.limits.suspendedRuns, unfinishedRuns)
            let early = max(configuration.limits.earlyDecisions, earlyDecisions)
            configuration.limits.earlyDecisions = early
            configuration.limits.earlyDecisionsPerPrincipal = early
            if let keys { configuration.access = .keyed(keys.server, try keys.policy) }
            return configuration
        }
    }
}

extension CurveKeys {
    /// A policy that grants the client all requests that the measures send: NOTIFY, RUN and COMPLETE.
    fileprivate var policy: AccessPolicy {
        get throws {
            let grants = AccessPolicy.Grants([
                .notify: .init(allow: [">"]), .run: .init(allow: [">"]), .complete: .init(allow: [">"]),
            ])
            return try AccessPolicy([.init("bench", keys: [client.publicKey], grants: grants)])
        }
    }
}

extension HostedPipeline {
    /// Makes a pipeline with three seeds, one output, and three actions that each read and write one value.
    static func feed(slots: Int = 32) -> HostedPipeline {
        let pipeline = PipelineOrchestrator()
        pipeline.register(BenchActions.feed())
        return HostedPipeline(
            "feed",
            pipeline,
            seeds: [.required("user", .string), .required("limit", .integer), .required("tags", .array)],
            outputs: ["feed"],
            slots: slots
        )
    }
}
