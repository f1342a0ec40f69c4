public import ForgeBusProtocol

/// What an asker asks every chosen worker.
package enum FleetQuestion: Hashable, Sendable {
    /// Whether the monitors that follow a topic have evaluated a change that happens when the asker begins.
    case notify(StateChange)
    /// Whether the monitors of this choice have evaluated a change, without another cycle.
    ///
    /// Without a change, what their latest cycle said.
    case monitors(MonitorChoice, since: ContinuousClock.Instant?)
    /// Who the workers are.
    case workers
    /// A run of the same pipeline on every worker, in batches; the id of each request is the text, a slash and the
    /// worker's name.
    case run(RunRequest, id: String)
}

/// Chooses monitors of a worker.
public enum MonitorChoice: Hashable, Sendable {
    /// All monitors.
    case all
    /// The monitors whose names match at least one of these patterns.
    case named([NamePattern])
    /// The monitors that follow this topic.
    case following(Name)

    func contains(_ monitor: MonitorItem) -> Bool {
        switch self {
        case .all: true
        case .named(let patterns): patterns.contains { $0.matches(monitor.name) }
        case .following(let topic): monitor.topics.contains { (try? NamePattern($0))?.matches(topic) == true }
        }
    }
}

/// The size of a batch of a roll-out.
public enum BatchSize: Hashable, Sendable {
    /// So many workers, at least one.
    case count(Int)
    /// So many workers of a hundred, rounded up, and at least one.
    case percent(Int)

    func size(of all: Int) -> Int {
        switch self {
        case .count(let count): max(1, count)
        case .percent(let percent): max(1, (all * min(max(percent, 0), 100) + 99) / 100)
        }
    }
}

/// How an asker goes about its question.
package struct FleetPlan: Hashable, Sendable {
    /// How many workers may shake hands at the same time.
    ///
    /// All handshakes make progress together: of thousands at once, none would be ready for a long time.
    package var window = 200
    /// After which time a worker that does not answer lets another one begin, while the asker still waits for it.
    package var slotLasts = Duration.seconds(1)
    /// The sizes of the batches; the last one repeats until every worker has had its turn.
    package var batches: [BatchSize] = [.percent(100)]
    /// How many workers may not end well, silent ones too, until no further batch begins; nil for any number.
    package var stopAfter: Int?
    /// The longest time for one batch; nil for no limit.
    package var batchLasts: Duration?
    /// Until when workers that are not as they should be are asked again; nil asks each once.
    package var until: ContinuousClock.Instant?

    package init() {}
}
