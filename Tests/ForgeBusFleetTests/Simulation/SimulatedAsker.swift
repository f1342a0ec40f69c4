import ForgeBusProtocol
import TestSupport
import ZeroMQ

@testable import ForgeBusFleet

/// One process that asks a simulated fleet: a core, and in a few words what its clients do.
///
/// A request is sent again until its last answer comes; it fails when the worker was silent for the patience.
struct SimulatedAsker {
    /// A request that waits for its last answer.
    struct Call {
        let number: Int
        let name: Name
        /// Who listens at the worker's address; nil for nobody.
        let worker: Int?
        let request: Request
        var lastHeard: Int64
        var isAccepted = false
        var pause = Int64.seconds(1)
        /// Why the worker has sent the request away for now.
        var refusal: BusError?
    }

    let clock: SimulatedClock
    var questions: Int
    var asked = 0
    var core: FleetCore?
    var question: SimulatedQuestion?
    var calls: [Name: Call] = [:]
    var lastCall = 0
    /// The time for which the core has asked, and its number.
    var wake: (time: Int64, number: Int)?
    var wakes = 0

    var isDone: Bool { core == nil && asked == questions }

    init(questions: Int, _ clock: SimulatedClock) { (self.questions, self.clock) = (questions, clock) }

    func call(_ number: Int) -> Call? { calls.values.first { $0.number == number } }
}

/// What an asker asks, and what the schedule knows of it.
struct SimulatedQuestion {
    let number: Int
    let question: FleetQuestion
    /// The workers that are asked, in order, and who listens at the address of each.
    let addresses: [(name: Name, worker: Int?)]
    let plan: FleetPlan
    /// When the change has really happened; nil if none is asked about.
    let change: Int64?
    let patience: Int64
    let deadline: Int64
    /// Whether the latest time for which the core asks replaces an earlier one; otherwise it is woken too early.
    let replacesWakes: Bool
    /// The batch that has begun, and how many workers have.
    var batch = 0
    var begun = 0

    func worker(_ name: Name) -> Int? { addresses.first { $0.name == name }?.worker }
}

// What happens to askers.
extension SimulatedFleet {
    mutating func happen(_ happening: AskerHappening, to asker: Int) {
        switch happening {
        case .asks: ask(asker)
        case .wakes(let number):
            guard askers[asker].wake?.number == number else { return }
            askers[asker].wake = nil
            decide(asker) { core, now in core.woke(at: now) }
        case .resends(let number): resend(number, asker)
        case .looks(let number): look(number, asker)
        case .checksEnd(let question):
            if askers[asker].question?.number == question { rules.violate("question \(question) is not over in time") }
        case .checksBatch(let question, let batch):
            if askers[asker].question?.number == question, askers[asker].question?.batch == batch {
                rules.violate("batch \(batch) is not over in time")
            }
        }
    }

    private mutating func ask(_ asker: Int) {
        askers[asker].asked += 1
        let question = makeQuestion(askers[asker].asked, asker)
        let workers = question.addresses.map { Inventory.Worker($0.name, at: Self.endpoint, key: nil) }
        let instant = askers[asker].clock.instant(at: now)
        note("asker \(asker) asks \(question)")
        askers[asker].core = FleetCore(question.question, of: workers, question.plan, at: instant)
        askers[asker].question = question
        disturb()
        plan(.checksEnd(question: question.number), asker, at: end(of: question, asker))
        decide(asker) { core, now in core.begin(at: now) }
    }

    private static let endpoint: Endpoint = {
        guard let endpoint = try? Endpoint("tcp://127.0.0.1:7717") else { fatalError("No endpoint.") }
        return endpoint
    }()

    /// When the question must be over.
    private func end(of question: SimulatedQuestion, _ asker: Int) -> Int64 {
        if let until = question.plan.until { return askers[asker].clock.time(of: until) + 1_000 }
        if let limit = question.plan.batchLasts {
            let batches = Int64(question.addresses.count)
            return now + batches * (limit.nanoseconds + limit.nanoseconds / 1_000) + 1_000
        }
        let calls: Int64 = 8
        return max(now, troubledUntil) + calls * (question.patience + question.deadline + .seconds(60))
    }

    /// The core decides, and what it asks for is done; what it says is checked each time.
    mutating func decide(_ asker: Int, _ event: (inout FleetCore, FleetCore.Instant) -> [FleetCore.Effect]) {
        guard askers[asker].core != nil, let question = askers[asker].question else { return }
        let instant = askers[asker].clock.instant(at: now)
        var effects: [FleetCore.Effect] = []
        if askers[asker].core != nil, var core = take(asker) {
            effects = event(&core, instant)
            askers[asker].core = core
        }
        for effect in effects {
            switch effect {
            case .ask(let name, let command, let id): call(name, command, id, question, asker)
            case .release(let name): askers[asker].calls[name] = nil
            case .wake(let moment): wake(at: moment, question, asker)
            }
        }
        check(asker)
        if askers[asker].core?.isOver == true { finish(asker) }
    }

    /// Takes the core out of the asker, so that it is changed in place.
    private mutating func take(_ asker: Int) -> FleetCore? {
        defer { askers[asker].core = nil }
        return askers[asker].core
    }

    private mutating func wake(at moment: FleetCore.Instant, _ question: SimulatedQuestion, _ asker: Int) {
        let time = max(now, askers[asker].clock.time(of: moment))
        if !question.replacesWakes, let planned = askers[asker].wake, planned.time <= time { return }
        askers[asker].wakes += 1
        askers[asker].wake = (time, askers[asker].wakes)
        plan(.wakes(number: askers[asker].wakes), asker, at: time)
    }

    private mutating func finish(_ asker: Int) {
        let counts = askers[asker].core?.report.counts.map { "\($0.key.rawValue): \($0.value)" }.sorted() ?? []
        note("asker \(asker) is done: \(counts)")
        (askers[asker].core, askers[asker].question, askers[asker].calls, askers[asker].wake) = (nil, nil, [:], nil)
        guard askers[asker].asked < askers[asker].questions else { return }
        // The next one may come when clocks have gone apart.
        let isLong = generator.oneIn(3)
        plan(.asks, asker, at: now + (isLong ? some(from: 600_000, to: 7_200_000) : some(from: 1, to: 60_000)))
    }

    private mutating func plan(_ happening: AskerHappening, _ asker: Int, at time: Int64) {
        agenda.add(.asker(asker, happening), at: time)
    }
}

// Requests.
extension SimulatedFleet {
    private mutating func call(
        _ name: Name,
        _ command: Request.Command,
        _ id: RequestID?,
        _ question: SimulatedQuestion,
        _ asker: Int
    ) {
        askers[asker].lastCall += 1
        let number = askers[asker].lastCall
        guard let id = id ?? (try? RequestID("\(asker)-\(number)")) else { return }
        if askers[asker].calls[name] != nil { rules.violate("two requests to \(name) at once") }
        let worker = question.worker(name)
        let call = SimulatedAsker.Call(
            number: number,
            name: name,
            worker: worker,
            request: Request(command, id: id),
            lastHeard: now
        )
        askers[asker].calls[name] = call
        if let worker { send(call.request, from: asker, to: worker) }
        plan(.resends(call: number), asker, at: now + call.pause)
        plan(.looks(call: number), asker, at: now + question.patience / 4)
    }

    private mutating func resend(_ number: Int, _ asker: Int) {
        guard let call = askers[asker].call(number), let question = askers[asker].question else { return }
        if let worker = call.worker { send(call.request, from: asker, to: worker) }
        askers[asker].calls[call.name]?.pause = min(2 * call.pause, .seconds(16))
        // A worker that has accepted a notification may take that time to answer.
        let quiet = call.isAccepted ? question.deadline : 0
        plan(.resends(call: number), asker, at: now + quiet + call.pause)
    }

    /// Looks how long the worker has been silent, and asks it whether it is there.
    private mutating func look(_ number: Int, _ asker: Int) {
        guard let call = askers[asker].call(number), let question = askers[asker].question else { return }
        guard now - call.lastHeard < question.patience else { return fail(call, asker) }
        if call.isAccepted, let worker = call.worker, let id = try? RequestID("ping-\(number)") {
            send(Request(.ping([]), id: id), from: asker, to: worker)
        }
        plan(.looks(call: number), asker, at: min(call.lastHeard + question.patience, now + question.patience / 4))
    }

    private mutating func fail(_ call: SimulatedAsker.Call, _ asker: Int) {
        askers[asker].calls[call.name] = nil
        let isThere = call.worker.map { workers[$0].isAlive } ?? false
        let isKnown = call.worker.map { workers[$0].access != .unknown } ?? true
        let code: ErrorCode = isThere || call.isAccepted ? .timeout : .unreachable
        let error = call.refusal ?? BusError(code, "", next: "")
        note("asker \(asker) hears nothing from \(call.name): \(error.code)")
        decide(asker) { $0.failed(call.name, error, isKnown ? nil : .refused(status: 400), at: $1) }
    }

    mutating func heard(_ answer: Answer, _ asker: Int, from worker: Int) {
        if case .pong = answer.content {
            let call = askers[asker].calls.values.first { "ping-\($0.number)" == answer.id?.text }
            if let call { askers[asker].calls[call.name]?.lastHeard = now }
            return
        }
        guard let call = askers[asker].calls.values.first(where: { $0.request.id == answer.id }), call.worker == worker
        else { return }
        switch answer.content {
        case .accepted:
            askers[asker].calls[call.name]?.isAccepted = true
            askers[asker].calls[call.name]?.lastHeard = now
            askers[asker].core?.accepted(call.name)
        case .error(let error) where [.busy, .notReady, .draining].contains(error.code):
            askers[asker].calls[call.name]?.refusal = error
        default:
            askers[asker].calls[call.name] = nil
            decide(asker) { $0.answered(call.name, answer.content, at: $1) }
        }
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
