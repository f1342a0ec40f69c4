import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Scorecard
import TestSupport
import Testing

@testable import ForgeBusWorker

/// Runs that request runs and events that request runs, among crashes, full queues and short disks, in an order that a seed
/// decides.
private struct RequestSchedule {
    var harness: CoreHarness
    var generator: SeededGenerator
    /// The runs whose task executes, with the waiter of their next rest.
    var executing: [Name] = []
    var waiters: UInt64 = 0
    /// How many events of each kind should be told of.
    var events: [String: Int] = [:]
    /// By outer run, action and attempt: the run that was requested.
    var requested: [String: Name] = [:]
    var violations: [String] = []
    var seen: [String: Int] = [:]
    let seed: UInt64

    /// Pipelines whose runs may request runs of each other, which only the depth bounds.
    ///
    /// With keys, the runs of some of them exclude each other, and a run may request one that it excludes.
    static func pipelines(withKeys hasKeys: Bool) -> [HostedPipeline] {
        let keys: [Name: OnePer] = [
            "p0": OnePer("a"), "p1": OnePer("b", group: "g"), "p2": OnePer("b", group: "g", then: .supersede),
        ]
        return ["p0", "p1", "p2", "tell", "also"].map { hosted($0, hasKeys ? keys[$0] : nil) }
    }

    private static func hosted(_ name: Name, _ onePer: OnePer?) -> HostedPipeline {
        HostedPipeline(
            name,
            pipeline(Stage("a"), RequestAction("b", pipeline: "p0", waits: true)),
            seeds: [.optional("count", .integer, default: 0)],
            slots: 2,
            onePer: onePer,
            policies: [
                "a": ActionPolicy(attempts: 2, backoff: .milliseconds(300), onFailure: .park),
                "b": ActionPolicy(attempts: 2, backoff: .milliseconds(300)),
            ]
        )
    }

    init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        var limits = WorkerLimits()
        limits.queuedRuns = 1 + generator.below(3)
        limits.executingRuns = 3
        limits.requests = 10_000
        harness = CoreHarness(
            pipelines: Self.pipelines(withKeys: seed.isMultiple(of: 2)),
            monitors: [HostedMonitor("m", MonitorOrchestrator(), topics: ["a.>"])],
            limits: limits,
            durability: .fsynced,
            // Within it, an attempt finds the run that it requested before.
            retention: .seconds(1_000_000_000),
            events: [.parked: "tell", .failed: "also", .monitorFailed: "tell"]
        )
    }

    mutating func saw(_ what: String) { seen[what, default: 0] += 1 }

    mutating func violate(_ what: String) { violations.append("seed \(seed): \(what)") }

    mutating func run() {
        for step in 0..<160 where violations.isEmpty { act(step) }
        // Whatever is left comes to its end, so that every event that is owed is told of.
        take(harness.consequences(of: .room(.ample)))
        for _ in 0..<4_000 where violations.isEmpty && !isOver { finish() }
        check()
    }

    private var isOver: Bool { executing.isEmpty && harness.core.requested.isEmpty && unparked.isEmpty }

    /// The unfinished runs that no redrive must help: not parked, and waiting for no run that is.
    private var unparked: [RunMachine] {
        harness.core.runs.unfinished.filter { run in
            var run = run
            for _ in 0...harness.core.runs.count {
                let holder = run.account.slot == .awaited ? harness.core.runs.queues.keys.obstacle(of: run.id) : nil
                guard let next = (run.awaitedRun ?? holder).flatMap({ harness.core.runs[$0] }) else { break }
                run = next
            }
            return run.parkingReason == nil
        }
    }

    private mutating func act(_ step: Int) {
        switch generator.below(20) {
        case 0...3:
            let pipeline = Name(unchecked: "p\(generator.below(3))")
            guard let id = try? RequestID("r\(step)") else { return }
            let request = Request(.run(RunRequest(pipeline: pipeline)), id: id)
            take(harness.consequences(of: .received(Received(request, from: 1))))
        case 4...13: progress()
        case 14: pass(.milliseconds(generator.below(1_200)))
        case 15: take(harness.consequences(of: .room(generator.oneIn(2) ? .short : .ample)))
        case 16: redriveOrCancel(step)
        case 17 where generator.oneIn(2): crash()
        case 18: cycle(failing: generator.oneIn(2))
        default: pass(.seconds(generator.below(40)))
        }
    }

    private mutating func finish() {
        if executing.isEmpty { pass(.seconds(61)) } else { progress(isEnding: true) }
    }

    private mutating func pass(_ duration: Duration) {
        let end = harness.now.advanced(by: duration)
        while let consequences = harness.tick(until: end) { take(consequences) }
    }

    /// The task of a run ends: its actions are through, or it rests.
    private mutating func progress(isEnding: Bool = false) {
        guard !executing.isEmpty else { return }
        let run = executing.remove(at: generator.below(executing.count))
        guard let machine = harness.core.runs[run] else { return }
        waiters += 1
        let choice = isEnding || machine.isStopping ? 0 : generator.below(10)
        switch choice {
        case 0...2: take(harness.consequences(of: .runEnded(run, .test(failing: nil), outputs: [:], flaw: nil)))
        case 3:
            take(harness.consequences(of: .runEnded(run, .test(failing: "no"), outputs: [:], flaw: nil)))
        case 4...5: rest(run, "a", .failed(reason: "no"))
        default:
            let target = Name(unchecked: "p\(generator.below(3))")
            let order = RequestedRun(pipeline: target, seeds: [:], waits: !generator.oneIn(4))
            rest(run, "b", .request(order))
        }
    }

    private mutating func rest(_ run: Name, _ action: String, _ kind: RunRest.Kind) {
        let rest = RunRest(
            run: run,
            action: action,
            waiter: WaiterID(number: waiters),
            kind: kind,
            eligible: [action],
            actions: []
        )
        if case .request = kind, let machine = harness.core.runs[run] {
            let attempt = machine.course.attempt + machine.course.earlierAttempts
            let key = "\(run)/\(action)/\(attempt)"
            let consequences = harness.consequences(of: .rested(rest))
            for case .append(let entry) in consequences.changes where entry.event == "requested" && entry.run == run {
                guard case .string(let inner)? = entry.details["requested"], entry.details["for"] == nil else {
                    continue
                }
                let name = Name(unchecked: inner)
                if let known = requested.updateValue(name, forKey: key) {
                    violate("\(key) requested \(known) and \(name)")
                }
                saw("requested")
            }
            take(consequences)
        } else {
            take(harness.consequences(of: .rested(rest)))
        }
    }

    private mutating func redriveOrCancel(_ step: Int) {
        let runs = harness.core.runs.unfinished.sorted { $0.id < $1.id }
        guard !runs.isEmpty, let id = try? RequestID("s\(step)") else { return }
        let run = runs[generator.below(runs.count)]
        let command: Request.Command =
            run.parkingReason == nil ? .cancel(CancelRequest(run: run.id)) : .redrive(RedriveRequest(run: run.id))
        let principal = AccessPolicy.Principal.local
        let received = Received(Request(command, id: id), from: 1, as: principal)
        take(harness.consequences(of: .received(received)))
    }

    private mutating func cycle(failing: Bool) {
        let before = harness.core.monitors.lanes[0].trouble != nil
        let report = ActionReport(
            id: "check",
            result: failing ? .failed("no") : .completed,
            start: .zero,
            duration: .zero
        )
        take(harness.consequences(of: .cycleEnded(monitor: 0, .ran(MonitorCycle(number: 1, actions: [report])))))
        if !before, harness.core.monitors.lanes[0].trouble != nil { events["monitor_failed", default: 0] += 1 }
    }

    private mutating func crash() {
        saw("crash")
        executing = []
        take(harness.restart(from: Array(harness.kept.values)))
        take(harness.consequences(of: .ready))
    }

    /// Notes what follows from a step, and checks it.
    private mutating func take(_ consequences: Consequences) {
        for change in consequences.changes {
            guard case .append(let entry) = change, entry.event == "requested", let word = entry.details["for"]?.string
            else { continue }
            saw("told of \(word)")
            let run = entry.run.flatMap { harness.record(of: $0) }
            if run?.origin?.isQuiet == true { violate("\(entry.run as Any) tells of itself, and was begun to tell") }
            if word != "monitor_failed" { events[word, default: 0] += 1 }
        }
        for effect in consequences.effects {
            guard case .start(let start) = effect else { continue }
            if let key = unfinished(start.run)?.key {
                let other = executing.first { unfinished($0)?.key == key }
                if let other { violate("\(start.run) and \(other) execute with one key") }
            }
            if executing.contains(start.run) { violate("\(start.run) executes twice") }
            executing.append(start.run)
            let record = harness.record(of: start.run)
            if record == nil || record?.end != nil { violate("\(start.run) starts, and is not kept") }
            if let depth = record?.origin?.depth {
                saw("depth \(depth)")
                if depth > RequestAction.maximumDepth { violate("\(start.run) is \(depth) deep") }
            }
        }
        checkRequesters()
        noteCounts(consequences)
    }

    private func unfinished(_ run: Name) -> RunRecord? { harness.record(of: run).flatMap { $0.end == nil ? $0 : nil } }

    /// A run that waits for another one waits only while that is unfinished.
    private mutating func checkRequesters() {
        for run in harness.core.runs.unfinished {
            guard let inner = run.awaitedRun else { continue }
            saw("awaits")
            if harness.core.runs[inner] == nil { violate("\(run.id) waits for \(inner), which is over") }
        }
    }

    /// Each event was told of once: by a run of its own, or by one that counts it.
    private mutating func check() {
        guard violations.isEmpty else { return }
        if !isOver {
            return violate("something never ends: \(unparked.map(\.id)), \(harness.core.requested.count) owed")
        }
        let told = events.values.reduce(0, +)
        if counted != told { violate("\(told) events, and \(counted) are told of") }
    }

    /// How many events runs have told of: what every record of such a run counts, kept from its beginning.
    private var counted: Int { counts.values.reduce(0, +) }
    private var counts: [Name: Int] = [:]

    private mutating func noteCounts(_ consequences: Consequences) {
        for case .put(.run(let record)) in consequences.changes {
            guard case .event = record.origin?.cause, record.end == nil else { continue }
            counts[record.run] = Int(record.seeds["count"]?.integer ?? 0)
        }
    }
}

@Suite("Runs that the worker requests itself, in schedules of faults")
struct RequestScheduleTests {
    @Test("are requested once, never go round, and tell of each event")
    func schedules() {
        var seen: [String: Int] = [:]
        let count = Scorecard.trials(60, full: 300)
        for seed in 0..<UInt64(count) {
            var schedule = RequestSchedule(seed: seed)
            schedule.run()
            for (what, count) in schedule.seen { seen[what, default: 0] += count }
            guard schedule.violations.isEmpty else {
                Issue.record("\(schedule.violations)")
                return
            }
        }
        for what in [
            "requested", "awaits", "crash", "told of parked", "told of failed", "told of monitor_failed", "depth 3",
        ] {
            #expect(seen[what, default: 0] >= count / 10, "\(what): \(seen[what, default: 0])")
        }
    }
}
