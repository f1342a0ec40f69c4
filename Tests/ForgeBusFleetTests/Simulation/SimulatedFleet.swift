import ForgeBusProtocol
import TestSupport

@testable import ForgeBusFleet
@testable import ForgeBusWorker

/// A fleet of real worker cores and the cores that ask them, without sockets, threads and clocks; a seed decides what
/// happens and when.
///
/// The network drops, repeats, reorders and delays. Workers die, start again, are suspended, and deny access. Each machine
/// has a clock of its own. A policy changes, and the monitors evaluate the one that holds.
struct SimulatedFleet {
    let seed: UInt64
    var generator: SeededGenerator
    /// The time of the schedule, which no machine knows.
    private(set) var now: Int64 = 0
    var agenda = FleetAgenda()
    var workers: [SimulatedWorker]
    var askers: [SimulatedAsker]
    var rules = FleetRules()
    /// When the policy has changed.
    private(set) var changes: [Int64] = []
    /// What the policy allows: at least this level.
    private(set) var limit = 2
    /// Whether the policy changes just when cycles are running.
    let isSharp: Bool
    private(set) var events = 0
    /// Until when the network and the workers do as they like.
    var troubledUntil: Int64 = 0
    /// What happened, a line each; nil where nobody wants to read it.
    var trace: [String]?

    init(seed: UInt64, isTraced: Bool = false) {
        var generator = SeededGenerator(seed: seed)
        isSharp = generator.oneIn(2)
        workers = FleetSetting.names.prefix(2 + generator.below(4)).map { name in
            let hosted = generator.oneIn(2) ? 0 : generator.below(FleetSetting.monitors.count)
            let isDurable = !generator.oneIn(3)
            return SimulatedWorker(name, hosted, isDurable: isDurable, Self.clock(&generator), &generator)
        }
        askers = (0..<1 + generator.below(2)).map { _ in
            SimulatedAsker(questions: 1 + generator.below(3), Self.clock(&generator))
        }
        (self.seed, self.generator, trace) = (seed, generator, isTraced ? [] : nil)
    }

    private static func clock(_ generator: inout SeededGenerator) -> SimulatedClock {
        let rate = generator.oneIn(3) ? generator.below(401) - 200 : generator.oneIn(2) ? 200 : -200
        return SimulatedClock(rate: Int64(rate), start: .seconds(generator.below(1_000_000)))
    }

    /// Lets everything happen until all questions are answered.
    mutating func run() {
        for worker in workers.indices {
            agenda.add(.worker(worker, life: 0, .starts), at: some(from: 1, to: 2_000))
        }
        for asker in askers.indices { agenda.add(.asker(asker, .asks), at: .seconds(1) + some(from: 1, to: 8_000)) }
        agenda.add(.policyChanges, at: .seconds(1) + some(from: 1, to: 4_000))
        while rules.violations.isEmpty, !askers.allSatisfy(\.isDone), let (time, happening) = agenda.next() {
            now = time
            events += 1
            happen(happening)
            if events > 50_000 { rules.violate("the schedule does not end") }
        }
        if !askers.allSatisfy(\.isDone), rules.violations.isEmpty { rules.violate("a question waits for ever") }
    }

    private mutating func happen(_ happening: Happening) {
        switch happening {
        case .request(let request, let asker, let worker): arrive(request, from: asker, at: worker, happening)
        case .answer(let answer, let asker, let worker):
            note("asker \(asker) hears from \(worker): \(answer.content.word.rawValue) \(answer.id?.text ?? "")")
            heard(answer, asker, from: worker)
        case .worker(let worker, let life, let event):
            if case .resumes = event { return happen(event, to: worker) }
            guard workers[worker].life == life else { return }
            if workers[worker].isSuspended { return workers[worker].heldBack.append(happening) }
            note("worker \(worker): \(event)")
            happen(event, to: worker)
        case .asker(let asker, let event): happen(event, to: asker)
        case .policyChanges: changePolicy()
        }
    }

    mutating func changePolicy() {
        // A schedule has only a few changes.
        guard changes.count < 8 else { return }
        changes.append(now)
        let level = generator.below(3)
        limit = level
        note("the policy allows \(level)")
    }

    mutating func note(_ line: @autoclosure () -> String) {
        if trace != nil { trace?.append("\(Double(now) / 1e9) s  \(line())") }
    }

    /// A time between two numbers of milliseconds, more often a short one.
    mutating func some(from least: Int, to most: Int) -> Int64 {
        var bound = least
        while bound < most, !generator.oneIn(4) { bound *= 2 }
        let bounded = min(bound, most)
        return .milliseconds(least) + Int64(generator.below(max(1, bounded - least + 1))) * 1_000_000
            + Int64(generator.below(1_000_000))
    }
}

// The network.
extension SimulatedFleet {
    /// What goes over the network arrives soon, late, twice or never.
    private mutating func deliver(_ happening: Happening) {
        let isTroubled = now < troubledUntil
        if isTroubled, generator.oneIn(12) { return }
        agenda.add(happening, at: now + delay(isTroubled))
        if isTroubled, generator.oneIn(10) { agenda.add(happening, at: now + delay(isTroubled)) }
    }

    private mutating func delay(_ isTroubled: Bool) -> Int64 {
        isTroubled && generator.oneIn(6) ? some(from: 1, to: 20_000) : 50_000 + Int64(generator.below(3_000_000))
    }

    mutating func send(_ request: Request, from asker: Int, to worker: Int) {
        deliver(.request(request, from: asker, at: worker))
    }

    mutating func send(_ answer: Answer, from worker: Int, to asker: Int) {
        // Others than askers are not there to hear.
        guard asker < askers.count, workers[worker].access != .unknown else { return }
        deliver(.answer(answer, to: asker, from: worker))
    }

    private mutating func arrive(_ request: Request, from asker: Int, at worker: Int, _ happening: Happening) {
        guard workers[worker].isAlive, workers[worker].access != .unknown else { return }
        if workers[worker].isSuspended { return workers[worker].heldBack.append(happening) }
        note("worker \(worker) hears from \(asker): \(request.command.rules.word) \(request.id)")
        if case .show = request.command {
            let item = workers[worker].core.description(for: FleetSetting.asker, at: workers[worker].moment(at: now))
            return send(Answer(to: request.id, .shown(item.json)), from: worker, to: asker)
        }
        step(.received(Received(simulated: request, from: UInt64(asker), as: FleetSetting.asker)), worker)
    }
}
