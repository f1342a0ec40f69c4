import ForgeBusProtocol
import ZeroMQ

/// One worker of a fleet that is watched: whether it answers, what it is asked, and what it has said of its monitors.
struct WatchedWorker {
    typealias Instant = ContinuousClock.Instant
    typealias Effect = FleetBoard.Effect
    typealias Ask = FleetBoard.Ask

    let name: Name
    private let expected: Set<Name>
    /// Whether the worker answers, and is the one that the inventory names.
    private(set) var contact = FleetState.notAsked
    private(set) var contactSince: Instant
    private(set) var monitors: [Name: KeptMonitor] = [:]
    private let start: Instant
    private var isFollowed = false
    private var isWatched = false
    private var connection = 0
    private var connectedAt: Instant
    /// HELLO or LIST; one at a time.
    private var reading: Ask?
    private var ping: Ask?
    private var notification: Ask?
    private var unanswered = 0
    private var nextPing: Instant
    private var nextList: Instant
    private var wantsList = false
    private var tellsLast = true
    private var isListed = false
    /// The monitors of the LIST under way.
    private var page: [Name: KeptMonitor] = [:]
    /// When the worker was last asked about each topic on this connection.
    private var asked: [Name: Instant] = [:]

    /// How many monitors of a worker are kept.
    private static let maximumMonitors = 100

    init(_ name: Name, expecting expected: Set<Name>, from start: Instant) {
        (self.name, self.expected, self.start) = (name, expected, start)
        (contactSince, connectedAt, nextPing, nextList) = (start, start, start, start)
    }

    /// Whether what is known of its monitors is what it says now.
    var answers: Bool { contact == .here || contact == .tooOld }

    /// The monitors that the inventory expects, and that the worker does not have.
    var missing: Set<Name> { isListed ? expected.subtracting(monitors.keys) : [] }

    /// The state of a monitor, judged by its latest cycle, or by EVALUATED.
    func state(of kept: KeptMonitor, since change: Instant?) -> FleetState {
        let line = FleetReport.Line(name, kept.item, sent: kept.sent, since: change, tellsLast: tellsLast)
        if line.state == .notYet || line.state == .tooOld, let change, let proof = kept.provedSince, change <= proof {
            return .converged
        }
        return line.state
    }

    private mutating func turn(_ state: FleetState, at now: Instant) {
        guard state != contact else { return }
        (contact, contactSince) = (state, now)
    }

    private func ask(_ step: FleetBoard.Step, at now: Instant) -> Ask {
        Ask(step: step, sent: now, connection: connection)
    }
}

// Events.
extension WatchedWorker {
    mutating func tick(at now: Instant) -> [Effect] {
        guard start <= now else { return [] }
        var effects: [Effect] = []
        if !isFollowed {
            isFollowed = true
            effects.append(.follow(name))
        }
        if ping == nil, nextPing <= now {
            let ask = ask(.ping, at: now)
            (ping, nextPing) = (ask, now.advanced(by: FleetBoard.pingInterval))
            effects.append(.ask(name, ask))
        }
        if answers, reading == nil, wantsList || nextList <= now { effects += list(at: now) }
        return effects
    }

    /// A new connection may lead to another worker, or to one that knows nothing of what it was asked.
    mutating func connected(at now: Instant) -> [Effect] {
        (connection, connectedAt) = (connection + 1, now)
        (reading, notification, asked) = (nil, nil, [:])
        return greet(at: now)
    }

    mutating func heard() -> [Effect] {
        wantsList = true
        return []
    }

    mutating func watchEnded() -> [Effect] {
        isWatched = false
        return []
    }

    /// A cycle of the monitor that went well began after this moment.
    ///
    /// The age of a cycle cannot tell that right after a notification: it is exact to the way of the answer only.
    mutating func proved(_ monitor: Name, since sent: Instant) -> [Effect] {
        let earlier = monitors[monitor]?.provedSince ?? sent
        monitors[monitor]?.provedSince = max(earlier, sent)
        return []
    }

    mutating func notified(_ topic: Name, at change: Instant) {
        // One that was away is asked when it is back.
        asked[topic] = answers && connectedAt <= change ? change : nil
    }

    mutating func answered(_ ask: Ask, _ content: Answer.Content, at now: Instant) -> [Effect] {
        if ask == ping { ping = nil }
        guard ask.connection == connection else { return [] }
        if ask == reading { reading = nil }
        if ask == notification { notification = nil }
        unanswered = 0
        switch (ask.step, content) {
        case (.greeting, .welcome(let welcome)): return greeted(welcome, at: now)
        case (.ping, .pong(let pong)):
            guard pong.worker == name.text else {
                turn(.wrongWorker, at: now)
                return []
            }
            return answers || reading != nil ? [] : greet(at: now)
        case (.listing, .page(let page)): return listed(page, ask, at: now)
        case (.notifying, .evaluated(let evaluation)): evaluated(evaluation, ask)
        default: break
        }
        return []
    }

    mutating func failed(
        _ ask: Ask,
        _ error: BusError,
        _ handshake: HandshakeFailure?,
        at now: Instant
    ) -> [Effect] {
        let isPing = ask == ping
        if isPing { ping = nil }
        guard ask.connection == connection else { return [] }
        if ask == reading {
            reading = nil
            // A refusal lasts; a worker that was busy or starting may answer the next time.
            nextList = now.advanced(by: error.code == .forbidden ? FleetBoard.listInterval : FleetBoard.pingInterval)
        }
        if ask == notification { notification = nil }
        guard isPing || ask.step == .greeting else { return [] }
        switch handshake {
        case .refused: turn(.refused, at: now)
        case .protocolError, .ended: turn(.wrongKey, at: now)
        case nil:
            if error.code == .forbidden { turn(.refused, at: now) }
            guard isPing else { break }
            unanswered += 1
            if unanswered >= FleetBoard.silentAfter { turn(.silent, at: now) }
        }
        return []
    }
}

// Answers.
extension WatchedWorker {
    private mutating func greet(at now: Instant) -> [Effect] {
        let ask = ask(.greeting, at: now)
        reading = ask
        return [.ask(name, ask)]
    }

    private mutating func greeted(_ welcome: Welcome, at now: Instant) -> [Effect] {
        guard welcome.worker == name.text else {
            turn(.wrongWorker, at: now)
            return []
        }
        tellsLast = welcome.features.contains(Welcome.lastCycle)
        // What it was asked while it was away may be lost.
        if !answers { asked = [:] }
        turn(tellsLast ? .here : .tooOld, at: now)
        return list(at: now)
    }

    private mutating func list(at now: Instant) -> [Effect] {
        let ask = ask(.listing(after: nil), at: now)
        (reading, wantsList, page) = (ask, false, [:])
        guard !isWatched else { return [.ask(name, ask)] }
        isWatched = true
        return [.watch(name), .ask(name, ask)]
    }

    private mutating func listed(_ answer: Page, _ asked: Ask, at now: Instant) -> [Effect] {
        for json in answer.items {
            guard let item = try? MonitorItem(json), page.count < Self.maximumMonitors else { continue }
            page[item.name] = KeptMonitor(item, sent: asked.sent, provedSince: monitors[item.name]?.provedSince)
        }
        if let cursor = answer.cursor, page.count < Self.maximumMonitors {
            let next = ask(.listing(after: cursor), at: now)
            reading = next
            return [.ask(name, next)]
        }
        (monitors, page, isListed) = (page, [:], true)
        nextList = now.advanced(by: FleetBoard.listInterval)
        return []
    }

    /// Takes EVALUATED as the receipt of the notification: without a cycle's number, nothing was evaluated.
    private mutating func evaluated(_ evaluation: Evaluation, _ ask: Ask) {
        for part in evaluation.monitors where part.state == .ran && part.cycle != nil {
            _ = proved(part.monitor, since: ask.sent)
        }
        wantsList = true
    }

    /// Asks about a notification that a monitor has not covered, unless the worker was asked a short time ago.
    mutating func notifyAgain(
        _ topic: Name,
        _ change: Instant,
        for principal: Name?,
        at now: Instant
    ) -> [Effect] {
        guard answers, isListed, reading == nil, notification == nil else { return [] }
        let last = asked[topic]
        // What it has said since it was last asked.
        let told = monitors.values.filter { $0.follows(topic) && $0.sent >= last ?? $0.sent }
        let states = told.map { state(of: $0, since: change) }
        guard let worst = states.filter({ $0 == .notYet || $0 == .tooOld }).min() else { return [] }
        if let last, last >= change {
            // Of one that cannot tell, nothing better is heard by asking again.
            guard worst == .notYet, now - last >= FleetBoard.notifyInterval else { return [] }
        }
        asked[topic] = now
        let ask = ask(.notifying(topic, for: principal), at: now)
        notification = ask
        return [.ask(name, ask)]
    }
}
