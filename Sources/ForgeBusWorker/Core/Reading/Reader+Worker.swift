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
    ) -> JSONObject {
        let failing = monitors.lanes.filter { $0.trouble != nil }
        let loads = runs.pipelines.keys.map { runs.queues.load(of: $0) }
        let (executing, queued) = (loads.reduce(0) { $0 + $1.held }, loads.reduce(0) { $0 + $1.waiting })
        var item: JSONObject = [
            "worker": .string(welcome.worker), "state": .string(phase.rawValue), "version": .string(Release.version),
            "durability": .string(welcome.durability.rawValue), "now_ms": .integer(now.unixMilliseconds),
            "checks": ["disk": isShort ? "short" : "ok", "monitors": failing.isEmpty ? "ok" : "failing"],
            "runs": [
                "executing": .integer(Int64(executing)), "queued": .integer(Int64(queued)),
                "resting": .integer(Int64(max(0, runs.count - executing - queued))),
                "ended": .integer(Int64(runs.ended.count)),
            ],
            "signals": .integer(Int64(signals.waiting.count)), "requests": .integer(Int64(requests)),
            "monitors": .integer(Int64(monitors.lanes.count)),
        ]
        item["store"] = welcome.store.map { .string($0) }
        let shown = failing.filter { mayRead(reader, .item(.monitor, $0.name)) }
        if !shown.isEmpty { item["failing"] = .array(shown.prefix(Self.mostFailing).map { .object(self.item($0)) }) }
        let paused = pauses.records.filter { mayRead(reader, AccessPolicy.Target(text: $0.subject.target)) }
        if !paused.isEmpty { item["paused"] = .array(paused.prefix(Self.mostPauses).map { .object($0.named) }) }
        var limits: JSONObject = [:]
        for (name, limit) in welcome.limits.sorted(by: { $0.key < $1.key }) { limits[name] = .integer(Int64(limit)) }
        item["limits"] = .object(limits)
        return item
    }

    /// Whether the principal may read this; nil is the worker itself, which may read everything.
    private func mayRead(_ reader: AccessPolicy.Principal?, _ target: AccessPolicy.Target) -> Bool {
        reader.map { access.ruling(for: $0, .read, on: target) == .allowed } ?? true
    }
}
