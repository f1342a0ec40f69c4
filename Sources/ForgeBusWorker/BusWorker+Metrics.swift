import ForgeBusProtocol
public import Metrics
public import ServiceLifecycle

/// Feeds the numbers of a worker to swift-metrics.
///
/// The names and values are those of `/metrics` of a gateway, so the same dashboards and alerts apply. Add the service to
/// the worker's group:
///
/// ```swift
/// import ForgeBusWorker
/// import Logging
/// import ServiceLifecycle
///
/// func serve(_ worker: BusWorker) async throws {
///     let services: [any Service] = [worker, WorkerMetrics(worker)]
///     try await ServiceGroup(services: services, logger: Logger(label: "shop")).run()
/// }
/// ```
public struct WorkerMetrics: Service {
    private let worker: BusWorker
    private let interval: Duration
    private let factory: any MetricsFactory
    private let clock: any Clock<Duration>

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - worker: The worker.
    ///   - interval: The time between two readings; 10 s by default.
    ///   - factory: Where the numbers go; the factory of the process by default.
    ///   - clock: Measures the interval.
    public init(
        _ worker: BusWorker,
        every interval: Duration = .seconds(10),
        factory: any MetricsFactory = MetricsSystem.factory,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.worker = worker
        self.interval = interval
        self.factory = factory
        self.clock = clock
    }

    /// Reads and feeds the numbers until a graceful shutdown, or until the worker has ended.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var feed = MetricFeed(factory: factory)
            while let numbers = try? await worker.numbers {
                feed.record(numbers.json)
                guard (try? await clock.sleep(for: interval)) != nil else { return }
            }
        }
        // A service that ends would end its group.
        try? await gracefulShutdown()
    }
}

extension BusWorker {
    /// What the worker shows of itself; reading it waits until the worker's endpoints are bound.
    fileprivate var numbers: WorkerItem {
        get async throws {
            let loop = try await lifecycle.bound().loop
            return await loop.description(on: loop.reactor)
        }
    }
}

/// The metrics of one worker, made as they are needed.
private struct MetricFeed {
    let factory: any MetricsFactory
    private var gauges: [String: Gauge] = [:]
    private var counters: [String: (counter: Counter, total: Int64)] = [:]

    init(factory: any MetricsFactory) { self.factory = factory }

    mutating func record(_ numbers: JSONObject) {
        for metric in WorkerMetric.all {
            for value in metric.values(numbers) {
                let dimensions = value.label.map { [($0.name, $0.value)] } ?? []
                let key = "\(metric.name) \(value.label?.value ?? "")"
                switch metric.kind {
                case .gauge:
                    let gauge = gauges[key] ?? Gauge(label: metric.name, dimensions: dimensions, factory: factory)
                    gauges[key] = gauge
                    gauge.record(value.number)
                case .counter:
                    let total = Int64(value.number)
                    let known = counters[key]
                    let counter =
                        known?.counter ?? Counter(label: metric.name, dimensions: dimensions, factory: factory)
                    counter.increment(by: max(0, total - (known?.total ?? 0)))
                    counters[key] = (counter, total)
                }
            }
        }
    }
}
