import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// All monitors, and the cycles that are due.
struct Monitors {
    private(set) var lanes: [MonitorLane]
    /// The indices of the monitors that follow a topic, by topic; only for topics that came recently.
    private var followers: [Name: [Int]] = [:]
    /// The most topics whose followers are remembered, so that new topics cannot fill the memory.
    private static let rememberedTopics = 4096

    init(_ configuration: CoreConfiguration) {
        lanes = configuration.monitors.map { monitor in
            MonitorLane(
                name: monitor.name,
                topics: monitor.topics,
                timing: monitor.timing,
                seed: configuration.runPrefix
            )
        }
    }

    subscript(name: Name) -> MonitorLane? { lanes.first { $0.name == name } }

    /// The monitor with this index.
    subscript(index: Int) -> MonitorLane {
        _read { yield lanes[index] }
        _modify { yield &lanes[index] }
    }

    /// The indices of all monitors.
    var indices: Range<Int> { lanes.indices }

    /// Whether a stopping worker has no cycle left to wait for.
    var areSettled: Bool { lanes.allSatisfy(\.isSettled) }

    /// The indices of the monitors that follow a topic; they are remembered, because the same topics come again.
    mutating func followers(of topic: Name) -> [Int] {
        if let known = followers[topic] { return known }
        let found = lanes.indices.filter { lanes[$0].follows(topic) }
        if followers.count >= Self.rememberedTopics { followers = [:] }
        followers[topic] = found
        return found
    }
}
