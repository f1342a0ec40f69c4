public import ForgeBusProtocol

/// What all chosen workers of a fleet have said; no name is left out.
public struct FleetReport: Hashable, Sendable {
    /// One worker, or one of its monitors or runs.
    public struct Line: Hashable, Sendable {
        /// The worker's name in the inventory.
        public let worker: Name
        /// The monitor or the run; nil if the line is about the worker.
        public var subject: String?
        /// What is known.
        public var state: FleetState
        /// Why the state is not good; nil if there is nothing to say.
        public var reason: String?
        /// How long before the answer the latest ended cycle began; nil if none has ended.
        public var beganAgo: Duration?
        /// How many cycles in a row have failed; 0 if the latest one did not.
        public var failures = 0
        /// When the latest failed cycle ended, in milliseconds since 1970, by the worker's clock.
        public var failedUnixMilliseconds: Int64?
        /// Who paused the monitor, until when and why.
        public var pause: PauseItem?
        /// What the worker tells of itself; only of a survey of the workers.
        public var details: JSONObject = [:]

        package init(_ worker: Name, _ subject: String? = nil, _ state: FleetState, because reason: String? = nil) {
            (self.worker, self.subject, self.state, self.reason) = (worker, subject, state, reason)
        }
    }

    /// The lines of each worker, exceptions first; every chosen worker has at least one.
    public let lines: [Line]
    /// Each chosen worker with its worst state.
    public let workers: [Name: FleetState]

    package init(_ lines: [[Line]]) {
        var workers: [Name: FleetState] = [:]
        for line in lines.joined() { workers[line.worker] = min(workers[line.worker] ?? line.state, line.state) }
        self.workers = workers
        self.lines = lines.joined().sorted {
            ($0.state, $0.worker, $0.subject ?? "") < ($1.state, $1.worker, $1.subject ?? "")
        }
    }

    /// How many workers are in each state; the numbers add up to the number of chosen workers.
    public var counts: [FleetState: Int] { workers.values.reduce(into: [:]) { $0[$1, default: 0] += 1 } }

    /// The lines whose state is not good.
    public var exceptions: [Line] { lines.filter { $0.state.kind != .good } }

    /// The worst of all states: ``FleetState/Class/nothing`` only if no worker has anything to tell.
    public var outcome: FleetState.Class {
        let kinds = Set(workers.values.map(\.kind))
        if kinds.contains(.bad) { return .bad }
        if kinds.contains(.open) { return .open }
        if kinds.contains(.refused) { return .refused }
        return kinds.contains(.good) ? .good : .nothing
    }

    /// What is known of one monitor, and of the workers that did not tell their monitors.
    package func about(_ subject: String) -> FleetReport {
        FleetReport([lines.filter { $0.subject == subject || ($0.subject == nil && $0.state != .noMonitor) }])
    }

    /// The workers whose state is this.
    public func workers(in state: FleetState) -> Selection {
        .names(Set(workers.filter { $0.value == state }.keys))
    }
}
