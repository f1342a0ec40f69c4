import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

@testable import ForgeBusWorker

/// What was acknowledged survives the worker, and what it left is gone on with: each run where it was, none twice.
extension BusRules {
    /// What was said to whoever asked, and has left the worker.
    struct Promise {
        var run: Name?
        var final: Final?
    }

    /// What an earlier worker left of an unfinished run that had begun.
    struct Left {
        let progress: ProgressRecord
        /// Whether its pipeline is defined as it was when it was taken.
        let isSame: Bool
        /// Whether nothing may go on before somebody says so.
        var isParked: Bool
        /// How often workers died with the action under way.
        var crashes: Int

        /// Whether it is known how far it had come; otherwise it begins again.
        var isKnown: Bool { progress.eligible != nil && progress.unkept == nil }
        /// The action under way.
        var action: String? {
            guard isKnown, let eligible = progress.eligible, progress.actions.count < eligible.count else { return nil }
            return eligible[progress.actions.count]
        }
        /// The gate at which it rests; nil where it does something else.
        var gate: Name? {
            guard isSame, let action, BusSetting.gates.contains(action), case .waiting(let signal) = progress.state
            else {
                return nil
            }
            return signal
        }
    }

    /// An answer leaves the worker: from now on it is a promise.
    mutating func left(_ answer: Answer, _ caller: Caller) {
        guard let id = answer.id else { return }
        let key = RequestKey(principal: BusSetting.principals[BusSetting.client(of: caller)].name, id: id)
        // What is forgotten already is promised no more.
        guard let age = unsaid.popFirst(), age == forgotten[key, default: 0] else { return }
        switch answer.content {
        case .accepted(let acceptance):
            guard let run = acceptance.run?.knownName else {
                return promiseCycles(WatchKey(caller: caller, request: id))
            }
            guard requestedRuns[key] == run else { return }
            if let first = promises[key]?.run, first != run { violate("\(id) began \(first), and \(run)") }
            promises[key, default: Promise()].run = run
        case .result(let result): promise(.result(result), key)
        case .verdict(let report): promise(.verdict(report), key)
        case .ok(let report): promise(.confirmation(report), key)
        case .progress, .error, .evaluated, .event, .page, .pong, .welcome, .shown: break
        }
    }

    private mutating func promise(_ final: Final, _ key: RequestKey) {
        guard finals[key] == final else { return }
        if let first = promises[key]?.final, first != final { violate("\(key.id) was told \(first), and \(final)") }
        promises[key, default: Promise()].final = final
    }

    private mutating func promiseCycles(_ key: WatchKey) {
        guard let notice = durableNotices.removeValue(forKey: key) else { return }
        for index in notice.lanes where notice.step > lanes[index].covered { lanes[index].promised.append(notice.step) }
    }

    /// The worker is gone, and this is what it left: whatever it knew beyond that nobody has been told.
    mutating func restarts(
        from records: [StoreRecord],
        under definitions: [Name: RunDefinition],
        afterCrash isCrash: Bool,
        at now: Moment
    ) {
        saw(isCrash ? "crash" : "left")
        let disk = Dictionary(uniqueKeysWithValues: records.map { ($0.key, $0) })
        checkPromises(disk)
        forgetProcess()
        takeOverRequests(records, at: now)
        takeOverKeys(records)
        for case .run(let run) in records where run.end == nil {
            let progress = disk[.progress(run.run)].flatMap { if case .progress(let kept) = $0 { kept } else { nil } }
            let isSame = isSame(run, progress, definitions[run.pipeline])
            takeOver(run, progress, isSame: isSame, afterCrash: isCrash, at: now)
        }
        for case .signal(let record) in records {
            takeOver(record)
            // One without an end was announced to the worker that is gone now, however often it was before.
            guard case .waiting(_, let end) = record.state, record.state.isAnnounced else { continue }
            if end == nil || abandoned[record.signal] == nil { abandoned[record.signal] = now }
        }
        for index in lanes.indices {
            lanes[index].restarts(owing: disk[.debt(index == 0 ? "m" : "n")])
        }
    }

    /// The other one has taken over: what it has to say and to do follows the same rules as a step.
    mutating func restarted(_ consequences: Consequences, _ harness: CoreHarness) {
        for (run, left) in left where left.isParked {
            if harness.audited.dropFirst(audited).contains(where: { $0.supersedes(run) }) { continue }
            if harness.core.runs[run].map({ $0.isParked || $0.isStopping }) != true { violate("\(run) is not parked") }
        }
        stepped(.tick, consequences, harness)
    }

    private mutating func checkPromises(_ disk: [StoreKey: StoreRecord]) {
        for (key, promise) in promises {
            if let run = promise.run {
                guard case .run(let record) = disk[.run(run)], record.request == key else {
                    violate("\(key.id) was accepted as \(run), and that is lost")
                    continue
                }
                if let final = promise.final, record.end.map({ .result($0.result) }) != final {
                    violate("the end of \(run) was told, and is lost")
                }
                continue
            }
            guard let final = promise.final, case .result = final else {
                let kept: Final? =
                    if case .request(let record) = disk[.request(key)] { Final(record.outcome) } else { nil }
                if kept != promise.final { violate("\(key.id) was told \(promise), and \(kept as Any) is kept") }
                continue
            }
        }
        for (index, lane) in lanes.enumerated() where !lane.promised.isEmpty {
            let kept = disk[.debt(index == 0 ? "m" : "n")].map(\.owed) ?? 0
            if kept < lane.promised.count {
                violate("\(lane.promised.count) notifications of monitor \(index) were to survive, and \(kept) did")
            }
        }
    }

    /// Connections, tasks and waiters are gone with their process.
    private mutating func forgetProcess() {
        (owners, waits, waiting, decided, resting) = ([:], [:], [:], [:], [:])
        unsaid = []
        (silent, attached, watches, notices, durableNotices) = ([], [:], [:], [:], [:])
        (patience, latest, remaining, parked, left) = ([:], [:], [:], [], [:])
        (started, stopping, signals, guards, opening) = ([], [:], [:], [:], nil)
        regime = .usual
        pauses = [:]
        begins()
    }

    private mutating func takeOverRequests(_ records: [StoreRecord], at now: Moment) {
        (requests, requestedRuns, finals) = ([:], [:], [:])
        for record in records {
            switch record {
            case .request(let record):
                requests[record.key] = finished(record.until, at: now)
                finals[record.key] = Final(record.outcome)
            case .run(let record):
                requests[record.request] = record.end.map { finished($0.until, at: now) } ?? .some(nil)
                requestedRuns[record.request] = record.run
                finals[record.request] = record.end.map { .result($0.result) }
            case .pause(let record): pauses[record.subject] = record
            case .progress, .signal, .debt, .mode, .requested, .trouble, .texts: break
            }
        }
    }

    private func finished(_ until: Int64?, at now: Moment) -> Moment? {
        until.map { now.at(unix: $0).advanced(by: .zero - BusSetting.retention) }
    }

    /// Whether nothing that a run has still to do is defined otherwise.
    private mutating func isSame(
        _ run: RunRecord,
        _ progress: ProgressRecord?,
        _ definition: RunDefinition?
    ) -> Bool {
        let old = run.definition.actions
        guard !old.isEmpty, let new = definition?.actions else {
            violate("\(run.run) is kept without what it consists of")
            return false
        }
        var ahead = BusSetting.actions[...]
        if let progress, progress.unkept == nil, let eligible = progress.eligible {
            ahead = eligible.dropFirst(progress.actions.count)
        }
        let isSame = ahead.allSatisfy { id in old.first { $0.id == id } == new.first { $0.id == id } }
        if isSame, old != new { saw("went on though something behind it changed") }
        return isSame
    }

    private mutating func takeOver(
        _ record: RunRecord,
        _ progress: ProgressRecord?,
        isSame: Bool,
        afterCrash isCrash: Bool,
        at now: Moment
    ) {
        let run = record.run
        let deadline = record.deadline.map { now.at(unix: $0) }
        guard let progress = progress ?? (record.began != nil || !isSame ? ProgressRecord(run: run) : nil) else {
            latest[run] = deadline
            return
        }
        // What another definition began goes on only when somebody says so.
        var new = Left(progress: progress, isSame: isSame, isParked: !isSame, crashes: progress.crashes)
        if !isSame {
            saw("parked under another definition")
            remaining[run] = deadline.map { $0.since(now) }
        }
        if new.isKnown { started.insert(run) }
        // The clock of one that is parked stands still, and one that was overdue before is over.
        var isOverdue = deadline.map { $0 <= now } ?? false
        switch progress.state {
        case .stopping(let state, _):
            stopping[run] = state
            return
        case .executing:
            if !isCrash, record.began != nil { violate("\(run) was left executing by a worker that was not killed") }
            if new.isParked { break }
            if let end = progress.end {
                saw("through when its worker died")
                stopping[run] = end
                return
            }
            new.crashes += 1
            new.isParked = new.crashes >= RunCourse.mostCrashes
            if new.isParked { saw("parked after crashes") }
            remaining[run] = new.isParked ? deadline.map { $0.since(now) } : nil
        case .waiting, .awaiting, .retrying: break
        case .parked(_, let left):
            new.isParked = true
            isOverdue = false
            remaining[run] = left.map { .milliseconds($0) }
        }
        if new.isParked, isOverdue {
            saw("overdue, and not parked")
            stopping[run] = .timedOut
            remaining[run] = nil
            return
        }
        if new.isParked { parked.insert(run) } else { latest[run] = deadline }
        left[run] = new
    }

    private mutating func takeOver(_ record: SignalRecord) {
        signals[record.signal] = record.state
        let wait: SignalRecord.Wait
        switch record.state {
        case .waiting(let known, _), .settled(let known, _, _): wait = known
        case .early: return
        }
        guards[record.signal] = (wait.rule, wait.requester)
    }
}

extension BusRules.Lane {
    /// Another worker begins with what the one before left.
    mutating func restarts(owing debt: StoreRecord?) {
        (uncovered, cycles, isRunning, isMissing) = (0, [], false, false)
        taken = debt.map(\.owed) ?? 0
    }
}

extension StoreRecord {
    /// How many notifications a monitor is owed a cycle for.
    fileprivate var owed: Int {
        if case .debt(let record) = self { record.causes.reduce(record.others) { $0 + $1.count } } else { 0 }
    }
}

extension BusRules.Final {
    /// What a request was answered that is kept; nil for one that began a run.
    init?(_ outcome: RequestRecord.Outcome) {
        switch outcome {
        case .run: return nil
        case .verdict(let report): self = .verdict(report)
        case .confirmation(let report): self = .confirmation(report)
        }
    }
}

extension ProgressRecord {
    /// What the run comes to if all its actions have ended; nil if not.
    fileprivate var end: RunResult.State? {
        guard unkept == nil, let eligible, actions.count >= eligible.count else { return nil }
        return actions.contains { $0.failure != nil } ? .failed : .completed
    }
}
