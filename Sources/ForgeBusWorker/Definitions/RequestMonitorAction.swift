public import ForgeBusProtocol
import ForgeLocks
public import ForgeOrchestrator

/// A monitor's action that requests a run of a pipeline of the same worker, such as the remedy for a violation.
///
/// The run belongs to the principal `worker`. For the rules of gates, the principals whose notifications caused the
/// cycle count as requesters of the run. The action is skipped while the run of its last request is unfinished. The
/// worker begins the run as soon as its limits allow; the cycle does not wait for that.
///
/// An object of this class belongs to one monitor of one worker.
public final class RequestMonitorAction: MonitorAction, FallibleAction {
    /// The action's id.
    public let id: ActionID
    /// The action's place in the order of actions.
    public let priority: ActionPriority
    /// The pipeline of the requested run.
    public let pipeline: Name
    /// The seeds of the requested run.
    public let seeds: [String: Source]
    /// Whether a cycle needs the request.
    private let condition: @Sendable () async -> Bool
    /// The worker that hosts the action; nil outside a worker.
    private let host = Guarded<Host?>(nil)

    /// Requests a run for an action of this id, and returns once the request is committed or refused.
    ///
    /// The principals are those whose notifications caused the cycle. The result is `completed`; `skipped` if the run of
    /// the action's last request is unfinished; or `failed` with the reason of a refusal.
    typealias Host = @Sendable (_ order: RequestedRun, _ action: String, _ causers: Set<String>) async -> ActionResult

    /// Where a seed's value comes from.
    public enum Source: Hashable, Sendable {
        /// Always this value.
        case constant(JSONValue)
        /// The topic of the first notification that the cycle covers; empty if it covers none.
        case topic
        /// The topics of all notifications that the cycle covers, as an array; at most ``MonitorCauses/maximumTopics``.
        case topics
        /// How many notifications the cycle covers, an integer.
        case count
        /// The sender of the latest notification on the first topic; empty if the cycle covers no notification.
        case publisher
        /// The beginning of the body of the latest notification on the first topic, as text.
        ///
        /// That is at most ``MonitorCauses/Cause/maximumBodySizeInBytes`` bytes. The text is empty if the cycle covers
        /// no notification, or if these bytes are not valid UTF-8.
        case body

        /// The type of the value; nil for a constant.
        package var type: ValueType? {
            switch self {
            case .constant: nil
            case .topic, .publisher, .body: .string
            case .topics: .array
            case .count: .integer
            }
        }
    }

    /// Creates an action that requests a run of `pipeline` in each cycle in which `shouldRun` returns true.
    public init(
        _ id: ActionID,
        pipeline: Name,
        seeds: [String: Source] = [:],
        priority: ActionPriority = .medium,
        shouldRun: @escaping @Sendable () async -> Bool
    ) {
        self.id = id
        self.pipeline = pipeline
        self.seeds = seeds
        self.priority = priority
        condition = shouldRun
    }

    /// Whether the current cycle needs the request.
    public func shouldRun() async -> Bool { await condition() }

    /// Requests the run; returns `skipped` if the run of the last request is unfinished.
    public func run() async -> ActionResult {
        guard let host = host.withLock({ $0 }) else {
            return .failed(
                "only a worker can begin the run that this action requests: host the monitor on a BusWorker"
            )
        }
        let causes = MonitorCauses.current
        return await host(order(for: causes), id.rawValue, causes.principals)
    }

    /// Connects the action with the worker that hosts its monitor; nil disconnects it.
    func connect(to host: Host?) { self.host.withLock { $0 = host } }

    private func order(for causes: MonitorCauses) -> RequestedRun {
        var filled = JSONObject()
        for (key, source) in seeds.sorted(by: { $0.key < $1.key }) { filled[key] = source.value(of: causes) }
        return RequestedRun(pipeline: pipeline, seeds: filled)
    }
}

extension RequestMonitorAction.Source {
    /// The value in a cycle.
    package func value(of causes: MonitorCauses) -> JSONValue {
        let first = causes.topics.first
        return switch self {
        case .constant(let value): value
        case .topic: .string(first?.topic.text ?? "")
        case .topics: .array(causes.topics.map { .string($0.topic.text) })
        case .count: .integer(Int64(causes.count))
        case .publisher: .string(first?.publisher ?? "")
        case .body: .string(first.flatMap { String(validating: $0.lastBody, as: UTF8.self) } ?? "")
        }
    }
}
