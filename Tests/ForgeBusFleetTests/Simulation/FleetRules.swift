import ForgeBusProtocol

@testable import ForgeBusFleet

/// What must hold at every moment of a schedule, and how often something worth seeing has happened.
struct FleetRules {
    private(set) var violations: [String] = []
    private(set) var seen: [String: Int] = [:]

    mutating func violate(_ what: String) { violations.append(what) }

    mutating func saw(_ what: String) { seen[what, default: 0] += 1 }

    /// An answer leaves a worker: there is one run for each request.
    mutating func left(_ answer: Answer, workers: inout [SimulatedWorker], _ worker: Int) {
        guard let id = answer.id else { return }
        var run: RunID?
        switch answer.content {
        case .accepted(let acceptance): run = acceptance.run
        case .result(let result):
            run = result.run
            if result.state == .completed { workers[worker].completed.insert(id) }
        default: break
        }
        guard let run else { return }
        workers[worker].runs[id, default: []].insert(run)
        if (workers[worker].runs[id]?.count ?? 0) > 1 { violate("two runs for \(id) of worker \(worker)") }
    }
}

// What an asker says.
extension SimulatedFleet {
    mutating func check(_ asker: Int) {
        guard let core = askers[asker].core, let question = askers[asker].question else { return }
        let report = core.report
        let names = Set(question.addresses.map(\.name))
        if Set(report.workers.keys) != names || !names.isSubset(of: report.lines.map(\.worker)) {
            rules.violate("a name is missing")
        }
        if report.counts.values.reduce(0, +) != names.count { rules.violate("the counts are not of all") }
        for line in report.lines { check(line, question) }
        for (name, state) in report.workers where state == .converged || state == .completed {
            check(name, state, question)
        }
        if report.outcome == .good, core.isOver {
            for (name, state) in report.workers where state != .noMonitor { check(name, state, question) }
        }
        checkBatches(core, report, asker)
        if core.isOver { for state in report.workers.values { rules.saw(state.rawValue) } }
    }

    private mutating func check(_ line: FleetReport.Line, _ question: SimulatedQuestion) {
        guard line.state == .converged, let subject = line.subject else { return }
        guard let worker = question.worker(line.worker), let change = question.change else {
            return rules.violate("\(line.worker) has converged, but nobody has asked it for that")
        }
        let monitors = FleetSetting.monitors[workers[worker].hosted]
        guard let monitor = monitors.firstIndex(where: { $0.name.text == subject }) else {
            return rules.violate("there is no monitor \(subject)")
        }
        if workers[worker].monitors[monitor].lastGood <= change {
            rules.violate("\(subject) of \(line.worker) has not converged: nothing good began after the change")
        }
    }

    /// Checks a worker of which something good is said.
    private mutating func check(_ name: Name, _ state: FleetState, _ question: SimulatedQuestion) {
        guard let worker = question.worker(name) else { return rules.violate("\(name) is not there, but \(state)") }
        switch question.question {
        case .notify: checkCycles(of: worker, .following(FleetSetting.topic), question)
        case .monitors(let choice, _): checkCycles(of: worker, choice, question)
        case .workers: break
        case .run(_, let id):
            guard let request = try? RequestID("\(id)/\(name)"), workers[worker].completed.contains(request) else {
                return rules.violate("no run of \(name) has completed")
            }
        }
        if workers[worker].name != name { rules.violate("another worker answers for \(name)") }
    }

    private mutating func checkCycles(of worker: Int, _ choice: MonitorChoice, _ question: SimulatedQuestion) {
        guard let change = question.change else { return }
        for (index, monitor) in FleetSetting.monitors[workers[worker].hosted].enumerated() {
            let isChosen =
                switch choice {
                case .all: true
                case .named: monitor.name == "age"
                case .following(let topic): monitor.topics.contains { $0.matches(topic) }
                }
            if isChosen, workers[worker].monitors[index].lastGood <= change {
                rules.violate("worker \(worker) has not converged: \(monitor.name) has not")
            }
        }
    }

    /// Checks that no batch begins once too many workers have not ended well, and that each ends.
    private mutating func checkBatches(_ core: FleetCore, _ report: FleetReport, _ asker: Int) {
        guard let question = askers[asker].question, let limit = question.plan.batchLasts else { return }
        let (batch, begun) = core.progress
        guard batch > question.batch else { return }
        let bad = question.addresses.prefix(question.begun).filter { report.workers[$0.name] != .completed }
        if let most = question.plan.stopAfter, question.begun > 0, bad.count >= most {
            rules.violate("batch \(batch) has begun, but \(bad.count) have not ended well")
        }
        askers[asker].question?.batch = batch
        askers[asker].question?.begun = begun
        // The last one is over when the core is.
        let end = askers[asker].clock.instant(at: now).advanced(by: limit)
        let happening = AskerHappening.checksBatch(question: question.number, batch: batch)
        agenda.add(.asker(asker, happening), at: askers[asker].clock.time(of: end) + 1_000)
    }
}
