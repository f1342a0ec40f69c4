package import ForgeBusProtocol
package import ZeroMQ

/// Decides which worker of a fleet is asked what, and when, and what the answers mean.
///
/// Pure: each method takes one event and returns what to do. A worker's connection carries one request at a time, which
/// ends with its last answer or with a failure.
package struct FleetCore {
    package typealias Instant = ContinuousClock.Instant

    /// What the owner of the core must do.
    package enum Effect: Hashable {
        /// Send a request to a worker, and report its last answer or its failure; nil for an id of any text.
        case ask(Name, Request.Command, id: RequestID?)
        /// End what waits for an answer of the worker: nothing more is asked of it.
        case release(Name)
        /// Call ``FleetCore/woke(at:)`` at this time; calls at other times do no harm.
        case wake(at: Instant)
    }

    private let question: FleetQuestion
    private let plan: FleetPlan
    /// When the change happened that cycles should cover; nil if no change was named.
    private let change: Instant?
    private var members: [FleetMember]
    private let places: [Name: Int]
    /// The workers before this place are in a batch that has begun.
    private var batchEnd = 0
    private var batchesBegun = 0
    private var batchBegan: Instant
    private var isStopped = false
    private var turns: FleetTurns
    /// The time that the latest ``Effect/wake(at:)`` names; nil once it has come.
    private var nextLook: Instant?

    /// Asks these workers of the inventory.
    package init(
        _ question: FleetQuestion,
        of workers: [Inventory.Worker],
        expecting expectations: [Inventory.Expectation] = [],
        _ plan: FleetPlan = FleetPlan(),
        at now: Instant
    ) {
        (self.question, self.plan, batchBegan, turns) = (question, plan, now, FleetTurns(plan))
        change =
            switch question {
            case .notify: now
            case .monitors(_, let since): since
            case .workers, .run: nil
            }
        members = workers.map { worker in
            let expected = expectations.lazy.filter { $0.selection.contains(worker) }.flatMap(\.monitors)
            return FleetMember(worker, expecting: Set(expected))
        }
        places = Dictionary(uniqueKeysWithValues: workers.indices.map { (workers[$0].name, $0) })
    }

    /// Whether nothing more is asked.
    package var isOver: Bool { isStopped || (batchEnd == members.count && turns.undone == 0) }

    /// The workers that are asked.
    package var workers: [Inventory.Worker] { members.map(\.worker) }

    /// What is known of all workers.
    package var report: FleetReport { FleetReport(members.map { $0.lines }) }

    /// What is known of one worker.
    package func lines(of worker: Name) -> [FleetReport.Line] {
        places[worker].map { members[$0].lines } ?? []
    }

    /// The number of the batch that is under way, from 1, and how many workers have begun.
    package var progress: (batch: Int, begun: Int) { (batchesBegun, batchEnd) }
}

// Events.
extension FleetCore {
    /// Begins to ask.
    package mutating func begin(at now: Instant) -> [Effect] { advance(at: now) }

    /// Records that the worker has accepted the notification or the run that it was sent.
    package mutating func accepted(_ worker: Name) {
        guard let place = places[worker], case .asking(var request) = members[place].phase else { return }
        request.isAccepted = true
        members[place].phase = .asking(request)
    }

    /// Takes the last answer to the request that the worker was sent.
    package mutating func answered(_ worker: Name, _ content: Answer.Content, at now: Instant) -> [Effect] {
        guard let place = places[worker], case .asking(let request) = members[place].phase else { return [] }
        if case .error(let error) = content { return failed(worker, error, nil, at: now) }
        switch members[place].took(content, of: request, question, since: change) {
        case .ask(let step):
            turns.free(place)
            return [ask(place, step, at: now)] + advance(at: now)
        case .settled: return settle(place, at: now) + advance(at: now)
        }
    }

    /// Records that the request to the worker failed; `handshake` is why the latest handshake failed, if one did.
    package mutating func failed(
        _ worker: Name,
        _ error: BusError,
        _ handshake: HandshakeFailure?,
        at now: Instant
    ) -> [Effect] {
        guard let place = places[worker], case .asking(let request) = members[place].phase else { return [] }
        members[place].failed(error, handshake, in: request)
        return settle(place, at: now) + advance(at: now)
    }

    /// Goes on at a time for which the core had asked, or at any other.
    package mutating func woke(at now: Instant) -> [Effect] {
        nextLook = nil
        if let until = plan.until, until <= now { return stop() }
        guard let end = batchLimit, end <= now else { return advance(at: now) }
        return giveUp() + advance(at: now)
    }

    /// Ends the asking: what waits is given up, and nobody else is asked.
    package mutating func stop() -> [Effect] {
        isStopped = true
        return giveUp()
    }

    /// Gives the workers up that are still asked, or would be asked again.
    private mutating func giveUp() -> [Effect] {
        turns.endAll()
        return members[..<batchEnd].indices.filter { members[$0].phase != .done }.map { place in
            members[place].giveUp()
            members[place].phase = .done
            return .release(members[place].worker.name)
        }
    }
}

// Turns.
extension FleetCore {
    /// Ends the conversation with a worker, unless it will be asked again.
    private mutating func settle(_ place: Int, at now: Instant) -> [Effect] {
        guard let until = plan.until, now < until, members[place].isWorthAskingAgain(for: question) else {
            members[place].phase = .done
            turns.end(place)
            return [.release(members[place].worker.name)]
        }
        let pause = Self.pauses.pause(after: members[place].rounds)
        members[place].phase = .resting
        members[place].rounds += 1
        turns.rest(place, until: min(now.advanced(by: pause), until))
        return []
    }

    private static let pauses = Backoff(from: .seconds(1), upTo: .seconds(15))

    /// Begins what may begin now, and says when to look again.
    private mutating func advance(at now: Instant) -> [Effect] {
        if turns.undone == 0 { beginBatch(at: now) }
        guard !isOver else { return [] }
        var effects: [Effect] = []
        while let place = turns.next(at: now) { effects.append(ask(place, .greeting, at: now)) }
        if let moment = [turns.nextTurn, batchLimit, plan.until].compactMap({ $0 }).min(), moment != nextLook {
            nextLook = moment
            effects.append(.wake(at: moment))
        }
        return effects
    }

    /// When the time of the batch is over; nil if it has no limit.
    private var batchLimit: Instant? { plan.batchLasts.map { batchBegan.advanced(by: $0) } }

    /// Begins the next batch, unless too many workers of the earlier ones have not ended well.
    private mutating func beginBatch(at now: Instant) {
        guard !isStopped, batchEnd < members.count else { return }
        let bad = members[..<batchEnd].count { $0.worst.kind != .good }
        if let limit = plan.stopAfter, bad >= limit, batchEnd > 0 { return isStopped = true }
        let size = plan.batches[min(batchesBegun, plan.batches.count - 1)].size(of: members.count)
        let end = min(batchEnd + size, members.count)
        turns.begin(batchEnd..<end)
        (batchEnd, batchesBegun, batchBegan) = (end, batchesBegun + 1, now)
    }

    private mutating func ask(_ place: Int, _ step: FleetMember.Step, at now: Instant) -> Effect {
        members[place].phase = .asking(FleetMember.Asking(step: step, sent: now))
        let name = members[place].worker.name
        switch step {
        case .greeting: return .ask(name, .hello, id: nil)
        case .notifying(let change): return .ask(name, .notify(change), id: nil)
        case .running(let request, let id): return .ask(name, .run(request), id: id)
        case .describing: return .ask(name, .show(.worker), id: nil)
        case .listing(let cursor):
            return .ask(name, .list(ListRequest(kind: .monitors, limit: 500, cursor: cursor)), id: nil)
        }
    }
}
