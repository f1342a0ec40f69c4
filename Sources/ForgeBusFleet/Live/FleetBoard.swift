package import ForgeBusProtocol
package import ZeroMQ

/// Decides what a watcher of a fleet knows at each moment, and whom it asks what next.
///
/// Pure: each method takes one event and returns what to do. Each worker is in exactly one state at every moment. An
/// event of a worker only causes a question; what is known comes from answers, whose ages are counted from when their
/// requests were first sent.
package struct FleetBoard {
    package typealias Instant = ContinuousClock.Instant

    /// What the owner of the board must do.
    package enum Effect: Hashable {
        /// Connect to a worker, and report each connection.
        case follow(Name)
        /// Subscribe to the events of a worker's monitors, and report each event and the end of the subscription.
        case watch(Name)
        /// Send a request to a worker, and report its last answer or its failure.
        case ask(Name, Ask)
    }

    /// A request to a worker.
    package struct Ask: Hashable, Sendable {
        package let step: Step
        /// When the request was first sent, or earlier.
        let sent: Instant
        /// The number of the connection for which it is sent; answers to requests of earlier ones do not count.
        let connection: Int
    }

    package enum Step: Hashable, Sendable {
        /// HELLO: whether it is the worker that the inventory names.
        case greeting
        case ping
        /// LIST of its monitors, from this cursor.
        case listing(after: String?)
        /// A notification that the worker has not covered, for the principal who sent it.
        case notifying(Name, for: Name?)
    }

    /// How often each worker is pinged.
    static let pingInterval = Duration.seconds(10)
    /// How many pings in a row a worker may leave unanswered until it is silent.
    static let silentAfter = 3
    /// How often each worker's monitors are listed: cycles of an interval that go well cause no event.
    static let listInterval = Duration.seconds(60)
    /// After which time a worker that has not covered a notification is asked again on the same connection.
    static let notifyInterval = Duration.seconds(60)
    /// How many connections begin within a second: all handshakes make progress together.
    static let window = 200
    /// How many topics are remembered; the one whose notification is the oldest makes room.
    static let maximumTopics = 256
    /// How many monitors of different names are told of.
    static let maximumMonitors = 1000

    private var members: [WatchedWorker]
    private let places: [Name: Int]
    /// The latest notification of each topic, and for whom it was sent.
    private var notifications: [Name: (sent: Instant, principal: Name?)] = [:]
    /// Rises with each change of a state.
    package private(set) var revision = 0

    package init(_ inventory: Inventory, at now: Instant) {
        members = inventory.workers.enumerated().map { place, worker in
            let expected = inventory.expectations.lazy.filter { $0.selection.contains(worker) }.flatMap(\.monitors)
            let start = now.advanced(by: .seconds(place / Self.window))
            return WatchedWorker(worker.name, expecting: Set(expected), from: start)
        }
        places = Dictionary(uniqueKeysWithValues: inventory.workers.enumerated().map { ($1.name, $0) })
    }
}

// Events.
extension FleetBoard {
    /// Begins what is due; called about every second.
    package mutating func tick(at now: Instant) -> [Effect] {
        members.indices.flatMap { members[$0].tick(at: now) }
    }

    /// A connection to the worker stands, the first one or another one.
    package mutating func connected(_ worker: Name, at now: Instant) -> [Effect] {
        change(worker) { $0.connected(at: now) }
    }

    /// The worker has sent an event of a monitor.
    package mutating func heard(_ worker: Name) { _ = change(worker) { $0.heard() } }

    /// The subscription to the worker's events has ended, or was refused.
    package mutating func watchEnded(_ worker: Name) { _ = change(worker) { $0.watchEnded() } }

    /// Takes the last answer to a request.
    package mutating func answered(
        _ worker: Name,
        _ ask: Ask,
        _ content: Answer.Content,
        at now: Instant
    ) -> [Effect] {
        if case .error(let error) = content { return failed(worker, ask, error, nil, at: now) }
        let effects = change(worker) { $0.answered(ask, content, at: now) }
        return effects + notifyAgain(worker, at: now)
    }

    /// Records that a request failed; `handshake` is nil if the latest handshake did not fail.
    package mutating func failed(
        _ worker: Name,
        _ ask: Ask,
        _ error: BusError,
        _ handshake: HandshakeFailure?,
        at now: Instant
    ) -> [Effect] {
        change(worker) { $0.failed(ask, error, handshake, at: now) }
    }

    /// Remembers a notification that is sent to all workers now.
    ///
    /// A worker that was away is asked when it is back, and each worker again that has not covered it after a minute.
    package mutating func notified(_ topic: Name, for principal: Name?, at now: Instant) {
        notifications[topic] = (now, principal)
        if notifications.count > Self.maximumTopics,
            let oldest = notifications.min(by: { $0.value.sent < $1.value.sent })
        {
            notifications[oldest.key] = nil
        }
        for place in members.indices { members[place].notified(topic, at: now) }
        revision += 1
    }

    /// Takes what the workers have answered to a notification that was first sent at this moment or later.
    package mutating func reported(_ lines: [FleetReport.Line], since sent: Instant) {
        for line in lines {
            guard line.state == .converged, let monitor = line.subject.flatMap({ try? Name($0) }) else { continue }
            _ = change(line.worker) { $0.proved(monitor, since: sent) }
        }
    }

    /// Applies an event to a worker, and notices whether a state has changed by it.
    private mutating func change(
        _ worker: Name,
        _ apply: (inout WatchedWorker) -> [Effect]
    ) -> [Effect] {
        guard let place = places[worker] else { return [] }
        let before = states(of: members[place])
        let effects = apply(&members[place])
        if states(of: members[place]) != before { revision += 1 }
        return effects
    }

    /// Asks a worker about a notification that it has not covered; one request of this kind is under way at a time.
    private mutating func notifyAgain(_ worker: Name, at now: Instant) -> [Effect] {
        guard let place = places[worker] else { return [] }
        for (topic, notification) in notifications.sorted(by: { $0.value.sent < $1.value.sent }) {
            let effects = members[place].notifyAgain(topic, notification.sent, for: notification.principal, at: now)
            if !effects.isEmpty { return effects }
        }
        return []
    }
}

// What is known.
extension FleetBoard {
    /// How many workers and monitors are in each state.
    package struct Summary: Hashable, Sendable {
        /// The numbers add up to the number of workers.
        package var workers: [FleetState: Int] = [:]
        /// For each monitor, on how many workers it is in each state.
        package var monitors: [Name: [FleetState: Int]] = [:]
        /// For each monitor, how long ago the latest cycle began of the answering worker where that is the longest ago.
        package var oldest: [Name: Duration] = [:]
    }

    package func summary(
        at now: Instant,
        where isShown: (_ worker: Name, _ monitor: Name) -> Bool = { _, _ in true }
    ) -> Summary {
        var summary = Summary()
        for member in members {
            summary.workers[member.contact, default: 0] += 1
            for (name, state) in states(of: member).monitors where isShown(member.name, name) {
                guard summary.monitors[name] != nil || summary.monitors.count < Self.maximumMonitors else { continue }
                summary.monitors[name, default: [:]][state, default: 0] += 1
                guard state != .waived, member.answers, let began = member.monitors[name]?.began else { continue }
                summary.oldest[name] = max(summary.oldest[name] ?? .zero, now - began)
            }
        }
        return summary
    }

    /// The state of each worker, and since when it is so.
    package var contacts: [Name: (state: FleetState, since: Instant)] {
        Dictionary(uniqueKeysWithValues: members.map { ($0.name, ($0.contact, $0.contactSince)) })
    }

    /// When the latest notification of the topic was sent; nil if none is remembered.
    package func change(on topic: Name) -> Instant? { notifications[topic]?.sent }

    /// The report, in which a cycle that went well counts also if only the board knows that it began after the change.
    package func completed(_ report: FleetReport, since change: Instant) -> FleetReport {
        let lines = report.lines.map { line in
            guard line.state == .notYet, line.beganAgo != nil, let place = places[line.worker],
                let monitor = line.subject.flatMap({ try? Name($0) }), let kept = members[place].monitors[monitor],
                members[place].state(of: kept, since: change) == .converged
            else { return line }
            var known = line
            (known.state, known.reason) = (.converged, nil)
            return known
        }
        return FleetReport([lines])
    }

    /// A topic that each monitor follows, by the monitors' names; patterns are left out.
    package var topics: [Name: Name] {
        var topics: [Name: Name] = [:]
        for member in members {
            for (name, kept) in member.monitors where topics[name] == nil { topics[name] = kept.plainTopic }
        }
        return topics
    }

    /// The state of a worker and of each of its monitors.
    private struct States: Equatable {
        var contact: FleetState
        var monitors: [Name: FleetState] = [:]
    }

    /// A monitor of a worker that does not answer has the worker's state.
    private func states(of member: WatchedWorker) -> States {
        var states = States(contact: member.contact)
        for (name, kept) in member.monitors {
            states.monitors[name] =
                member.answers ? member.state(of: kept, since: latestChange(for: kept)) : member.contact
        }
        for name in member.missing { states.monitors[name] = member.answers ? .missing : member.contact }
        return states
    }

    private func latestChange(for kept: KeptMonitor) -> Instant? {
        notifications.lazy.filter { kept.follows($0.key) }.map(\.value.sent).max()
    }
}
