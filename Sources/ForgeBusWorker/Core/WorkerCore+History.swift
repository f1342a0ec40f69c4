import ForgeBusProtocol
import ForgeBusStore

/// What happened to a run, signal or monitor: what the books know of it, and what the journal tells.
extension WorkerCore {
    mutating func showHistory(of name: Name, _ received: Received) {
        let known: AccessPolicy.KnownRun? =
            runs[name].map { .init(owner: $0.principal, pipeline: $0.pipeline) }
            ?? ended[name].map { .init(owner: $0.principal, pipeline: $0.pipeline) }
        // Whoever may read a run may read what happened to it; the refusal is the same whatever is there.
        let ruling = access.ruling(for: received.principal, .read, on: .item(.history, name))
        let own = access.ruling(for: received.principal, .read, on: name, known: known)
        if let error = ruling.refusal(of: received.principal), known == nil || own != .allowed {
            return refuse(received, error)
        }
        guard histories < configuration.limits.histories else {
            return refuse(received, .busy("history", "Too many histories are being put together."))
        }
        histories += 1
        let query = HistoryQuery(
            name: name,
            isKnown: known != nil || gates.knows(name) || lanes.contains { $0.name == name },
            known: runs[name].map(course) ?? ended[name].map(course) ?? [],
            request: received.request.id,
            caller: received.caller,
            principal: received.principal
        )
        emit(.findHistory(query))
    }

    /// The history was put together; whose key was taken away meanwhile hears nothing more.
    mutating func tell(_ query: HistoryQuery, _ content: Answer.Content) {
        histories -= 1
        guard access.stands(query.principal) else { return }
        emit(.answer(Answer(to: query.request, content), to: query.caller))
    }

    private func course(of run: Run) -> [JournalEntry] {
        [.accepted(run.id, run.pipeline, run.request, run.principal, at: run.terms.accepted)]
            + run.course.actions.map { .ended($0, of: run.id, begun: run.began ?? run.terms.accepted) }
    }

    private func course(of run: EndedRun) -> [JournalEntry] {
        let id = run.result.run
        var end = JournalEntry(at: run.ended, run.result.state.rawValue, run: id)
        if !run.result.reason.isEmpty { end.details["reason"] = .string(run.result.reason) }
        return [.accepted(id, run.pipeline, run.request, run.principal, at: run.accepted)]
            + run.result.actions.map { .ended($0, of: id, begun: run.began ?? run.accepted) } + [end]
    }

    /// Writes down what happened to a run, if a store keeps it.
    mutating func journal(_ change: RunProgress.Change, of run: RunID) {
        guard configuration.keepsRecords, var entry = JournalEntry(change, of: run, at: moment) else { return }
        if case .retrying = change { entry.details["reason"] = runs[run]?.course.failure.map { .string($0) } }
        append(entry)
    }

    /// Writes down how a signal ended that nobody decided.
    mutating func journal(_ decision: GateDecision, on signal: SignalID, of owner: SignalOwner) {
        var entry = JournalEntry(at: moment.unixMilliseconds, decision.word, run: owner.run, signal: signal)
        if case .closed(let why) = decision { entry.details["why"] = .string(why) }
        append(entry)
    }

    /// Writes down that a cycle of a monitor is over: why it ran, and how it came out.
    mutating func journal(_ part: Evaluation.Monitor, for causes: MonitorCauses) {
        var entry = JournalEntry(at: moment.unixMilliseconds, "cycle_\(part.state.rawValue)", monitor: part.monitor)
        entry.details["cycle"] = part.cycle.map { .integer(Int64($0)) }
        entry.details["notifications"] = .integer(Int64(causes.count))
        // What a line has room for; the number tells of the rest.
        let topics = causes.topics.prefix(8).map { JSONValue.string("\($0.topic) by \($0.publisher)") }
        if !topics.isEmpty { entry.details["topics"] = .array(topics) }
        let actions = part.actions.prefix(32).map { JSONValue.string($0.inShort) }
        if !actions.isEmpty { entry.details["actions"] = .array(actions) }
        append(entry)
    }

    /// Writes down what happened, if a store keeps it; of a run with its place among the ends of the run's actions.
    mutating func append(_ entry: @autoclosure () -> JournalEntry) {
        guard configuration.keepsRecords else { return }
        var entry = entry()
        if let run = entry.run {
            let place = runs[run]?.course.actions.count ?? ended[run].map { $0.result.actions.count + 1 }
            entry.details[JournalEntry.placeKey] = place.map { .integer(Int64($0)) }
        }
        consequences.changes.append(.append(entry))
    }
}

extension HistoryQuery {
    /// What happened, each thing behind what led to it.
    ///
    /// The journal is in the order in which the core decided, and each entry of a run tells how many of the run's actions
    /// had ended by then. No clock decides: it may have been set, and an action's time is its own.
    func entries(with journal: [JournalEntry]) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        var left = known[...]
        for entry in journal {
            while let next = left.first, entry.follows(next, at: known.count - left.count) {
                entries.append(next.moved(behind: entries.last, before: entry))
                left.removeFirst()
            }
            entries.append(entry)
        }
        for next in left { entries.append(next.moved(behind: entries.last, before: nil)) }
        return entries
    }
}

extension JournalEntry {
    /// Under this key an entry tells how many of its run's actions had ended; one more once the run had.
    fileprivate static let placeKey = "place"

    /// Whether it was written behind what is known beside the journal: first that the run was taken, then its actions'
    /// ends, then its own.
    fileprivate func follows(_ known: JournalEntry, at place: Int) -> Bool {
        // What an earlier version wrote has no place.
        guard let own = details[Self.placeKey]?.integer else { return known.unixMilliseconds <= unixMilliseconds }
        return place <= own
    }

    /// The same with a time that fits its place: an action's end is counted from its run's beginning.
    fileprivate func moved(behind former: JournalEntry?, before later: JournalEntry?) -> JournalEntry {
        var moved = self
        if let later { moved.unixMilliseconds = min(moved.unixMilliseconds, later.unixMilliseconds) }
        if let former { moved.unixMilliseconds = max(moved.unixMilliseconds, former.unixMilliseconds) }
        return moved
    }
}

extension JournalEntry {
    fileprivate static func accepted(
        _ run: RunID,
        _ pipeline: PipelineName,
        _ request: RequestKey,
        _ principal: String,
        at unixMilliseconds: Int64
    ) -> JournalEntry {
        JournalEntry(
            at: unixMilliseconds,
            "accepted",
            run: run,
            principal: principal,
            request: request.id,
            details: ["pipeline": .string(pipeline.text)]
        )
    }

    fileprivate static func ended(_ action: ActionOutcome, of run: RunID, begun: Int64) -> JournalEntry {
        let end = begun + (action.start + action.duration).milliseconds
        var details: JSONObject = ["action": .string(action.action)]
        details["duration_ms"] = .integer(action.duration.milliseconds)
        if let failure = action.failure { details["reason"] = .string(failure.why) }
        return JournalEntry(at: end, "action_\(action.result.word)", run: run, details: details)
    }

    /// What is written down of a change; nil for what the results tell anyway.
    fileprivate init?(_ change: RunProgress.Change, of run: RunID, at now: Moment) {
        let time = now.unixMilliseconds
        switch change {
        case .started, .finished: return nil
        // The audit tells that, and who did it.
        case .redriven: return nil
        case .waiting(let action, let signal):
            self.init(at: time, "waiting", run: run, signal: signal, details: ["action": .string(action)])
        case .resumed(let action, let signal):
            self.init(at: time, "resumed", run: run, signal: signal, details: ["action": .string(action)])
        case .retrying(let action, let attempt, let after):
            self.init(at: time, "retrying", run: run, details: ["action": .string(action)])
            details["attempt"] = .integer(Int64(attempt))
            details["after_ms"] = .integer(after.milliseconds)
        case .parked(let action, let reason):
            self.init(at: time, "parked", run: run, details: ["action": .string(action), "reason": .string(reason)])
        }
    }

    /// What the audit is told, as the journal keeps it.
    init(_ record: AuditRecord, at unixMilliseconds: Int64) {
        self.init(
            at: unixMilliseconds,
            record.word,
            principal: record.principal,
            request: record.request,
            details: record.journalDetails
        )
        switch record.event {
        case .decided(let signal, _, _): self.signal = signal
        case .cancelled(let run, _), .redriven(let run, _): self.run = run
        case .refused, .keyRefused, .keyUnknown, .modeSet, .administered, .accessReplaced, .accessKept: break
        }
    }

    /// The entry as SHOW gives it.
    var item: JSONObject {
        var item: JSONObject = ["at_ms": .integer(unixMilliseconds), "event": .string(event)]
        item["run"] = run.map { .string($0.text) }
        item["signal"] = signal.map { .string($0.text) }
        item["monitor"] = monitor.map { .string($0.text) }
        item["principal"] = principal.map { .string($0) }
        item["request"] = request.map { .string($0.text) }
        for entry in details.entries where entry.key != Self.placeKey { item[entry.key] = entry.value }
        return item
    }
}

extension ActionOutcome {
    /// Its name and result, and the beginning of why it failed.
    fileprivate var inShort: String {
        guard let failure else { return "\(action) \(result.word)" }
        return "\(action) failed: \(Printable.cut(failure.why, to: 256))"
    }
}

extension ActionOutcome.Result {
    fileprivate var word: String {
        switch self {
        case .completed: "completed"
        case .skipped: "skipped"
        case .failed: "failed"
        }
    }
}
