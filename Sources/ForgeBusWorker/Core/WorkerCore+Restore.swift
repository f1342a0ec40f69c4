import ForgeBusProtocol
import ForgeBusStore

/// What an earlier worker left is taken over: the books are rebuilt from the records that it committed.
extension WorkerCore {
    /// Takes over `records`, once, before anything else is stepped.
    ///
    /// Runs go on behind their last completed action, gates that waited wait on, and what came to its end while no worker
    /// was there is settled now.
    mutating func restore(_ records: [StoreRecord], at now: Moment, into list: inout Consequences) {
        begin(at: now)
        swap(&consequences, &list)
        let left = LeftRecords(records)
        var finished: [(key: RequestKey, until: Moment)] = []
        for record in left.requests {
            ledger.admit(record)
            finished.append(
                (record.key, moment(unix: record.until ?? now.unixMilliseconds, atMost: configuration.retention))
            )
        }
        restoreSignals(left.signals, at: now)
        for record in left.runs {
            ledger.admit(
                RequestRecord(key: record.request, fingerprint: record.fingerprint, outcome: .run(record.run))
            )
            if let end = record.end {
                restore(record, end)
                finished.append((record.request, moment(unix: end.until, atMost: configuration.retention)))
            } else {
                restore(record, left.progress[record.run], at: now)
            }
        }
        ledger.restore(finished: finished)
        gates.digest { [runs] run in runs[run] == nil }
        restoreMonitors(left, at: now)
        catchUp(at: now)
        swap(&consequences, &list)
    }

    private mutating func restoreSignals(_ records: [SignalRecord], at now: Moment) {
        var settled: [(signal: SignalID, until: Moment)] = []
        for record in records {
            let waiter = mintWaiter()
            if let until = gates.restore(record, waiter, at: now) {
                settled.append((record.signal, min(until, now.advanced(by: configuration.signalRetention))))
            }
            for end in gates.earlyEnds(record.signal) { deadlines.add(.early(record.signal), at: end) }
            if gates.limitAbandoned(record.signal, at: now) { keepSignal(record.signal, at: now) }
            guard let waiting = gates.waiting(under: record.signal) else { continue }
            if let run = waiting.owner.run { orphans[run, default: []].append(record.signal) }
            guard let deadline = waiting.deadline else { continue }
            deadlines.add(.gate(record.signal, waiter), at: deadline)
        }
        gates.restore(settled: settled)
    }

    private mutating func restoreMonitors(_ left: LeftRecords, at now: Moment) {
        for index in lanes.indices {
            if let debt = left.debts[lanes[index].name] { lanes[index].restore(MonitorCauses(debt)) }
            guard let mode = left.modes[lanes[index].name] else { continue }
            let time = moment(unix: mode.until, atMost: WireLimits.timeToLive).since(now)
            if time > .zero {
                show(mode.screen, to: index, for: time, at: now)
            } else {
                forget(.mode(mode.monitor))
            }
        }
    }

    /// When the clock on the wall says so; it may have been set back since that was written, and nothing is kept longer for it.
    func moment(unix unixMilliseconds: Int64, atMost time: Duration) -> Moment {
        min(moment.at(unix: unixMilliseconds), moment.advanced(by: time))
    }

    /// A run is over that an earlier worker took up: what it waited for then, and did not again, is closed.
    mutating func closeOrphans(of run: RunID, at now: Moment) {
        guard !orphans.isEmpty else { return }
        for signal in orphans.removeValue(forKey: run) ?? [] {
            close(orphan: signal, of: run, "Its run ended.", at: now)
        }
    }

    /// A run goes on under another definition: what it waited for under the one before, and will not again, is closed.
    ///
    /// Otherwise somebody would decide what nobody waits for, and be told that it was delivered.
    mutating func closeStrays(of id: RunID, at now: Moment) {
        guard let run = runs[id], let left = orphans[id] else { return }
        for signal in left where !mayOpen(signal, run) {
            close(orphan: signal, of: id, "Its run goes on under a definition without it.", at: now)
        }
    }

    /// Whether the action that waited for the signal may open it again.
    private func mayOpen(_ signal: SignalID, _ run: Run) -> Bool {
        guard let action = gates.owner(of: signal)?.action, let pipeline = pipelines[run.pipeline] else { return false }
        if pipeline.gate(action) != nil { return self.signal(of: run, at: action) == signal }
        return pipeline.orchestrator.registered.contains { $0.id.rawValue == action }
    }

    private mutating func close(orphan signal: SignalID, of run: RunID, _ why: String, at now: Moment) {
        guard let waiting = gates.waiting(under: signal), waiting.isOrphaned, waiting.owner.run == run else { return }
        close(signal, waiting.waiter, as: .closed(why: why), at: now)
    }

    /// Names a wait that this worker takes over; those of its own have small numbers.
    mutating func mintWaiter() -> WaiterID {
        restoredWaiters += 1
        return WaiterID(number: UInt64.max - restoredWaiters)
    }
}

/// Records by what they are of, runs in the order in which they were taken.
private struct LeftRecords {
    var requests: [RequestRecord] = []
    var runs: [RunRecord] = []
    var progress: [RunID: ProgressRecord] = [:]
    var signals: [SignalRecord] = []
    var debts: [Name: DebtRecord] = [:]
    var modes: [Name: ModeRecord] = [:]

    init(_ records: [StoreRecord]) {
        for record in records {
            switch record {
            case .request(let record): requests.append(record)
            case .run(let record): runs.append(record)
            case .progress(let record): progress[record.run] = record
            case .signal(let record): signals.append(record)
            case .debt(let record): debts[record.monitor] = record
            case .mode(let record): modes[record.monitor] = record
            }
        }
        // Ids of one worker are numbered: of two of the same moment the shorter one is the earlier.
        runs.sort { ($0.accepted, $0.run.text.utf8.count, $0.run) < ($1.accepted, $1.run.text.utf8.count, $1.run) }
    }
}
