import ForgeBusProtocol

/// Shows the facts that the core knows about the worker itself.
extension Reader {
    /// The most failing monitors that are shown.
    private static let mostFailing = 100
    /// The most pauses that are shown.
    private static let mostPauses = 100

    func worker(
        _ phase: Pong.State,
        to reader: AccessPolicy.Principal?,
        _ welcome: Welcome,
        _ requests: Int,
        isShort: Bool
    ) -> WorkerItem {
        let failing = monitors.lanes.filter { $0.trouble != nil }
        let loads = runs.pipelines.keys.map { runs.queues.load(of: $0) }
        let (executing, queued) = (loads.reduce(0) { $0 + $1.held }, loads.reduce(0) { $0 + $1.waiting })
        var item = WorkerItem()
        (item.name, item.state, item.version) = (welcome.worker, phase, Release.version)
        (item.durability, item.nowUnixMilliseconds) = (welcome.durability.rawValue, now.unixMilliseconds)
        item.checks = ["disk": isShort ? "short" : "ok", "monitors": failing.isEmpty ? "ok" : "failing"]
        item.runs = [
            "executing": .integer(Int64(executing)), "queued": .integer(Int64(queued)),
            "resting": .integer(Int64(max(0, runs.count - executing - queued))),
            "ended": .integer(Int64(runs.ended.count)),
        ]
        (item.signals, item.requests, item.monitors) = (signals.waiting.count, requests, monitors.lanes.count)
        item.store = welcome.store
        let shown = failing.filter { mayRead(reader, .item(.monitor, $0.name)) }
        item.failing = shown.prefix(Self.mostFailing).map { self.item($0) }
        let paused = pauses.records.filter { mayRead(reader, AccessPolicy.Target(text: $0.subject.target)) }
        item.pauses = paused.prefix(Self.mostPauses).map(\.item)
        var limits: JSONObject = [:]
        for (name, limit) in welcome.limits.sorted(by: { $0.key < $1.key }) { limits[name] = .integer(Int64(limit)) }
        item.limits = limits
        return item
    }

    /// Whether the principal may read this; nil is the worker itself, which may read everything.
    private func mayRead(_ reader: AccessPolicy.Principal?, _ target: AccessPolicy.Target) -> Bool {
        reader.map { access.ruling(for: $0, .read, on: target) == .allowed } ?? true
    }
}
