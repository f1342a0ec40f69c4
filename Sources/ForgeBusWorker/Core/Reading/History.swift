import ForgeBusProtocol
import ForgeBusStore

extension Reader {
    /// Makes the query for the history of a name, with the entries that the core knows without the journal.
    func query(_ name: Name, _ received: Received) -> StoreQuery {
        let isKnown = runs.known(name) != nil || signals.knows(name) || monitors[name] != nil
        let known = runs[name].map(course) ?? runs.ended[name].map(course) ?? []
        return StoreQuery(name, .history(known: known, isKnown: isKnown), received)
    }

    private func course(of run: RunMachine) -> [JournalEntry] {
        let by = (run.principal, run.terms.via)
        return [.accepted(run.id, run.pipeline, run.request, by, run.terms.origin, at: run.terms.accepted)]
            + run.course.actions.map { .ended($0, of: run.id, begun: run.began ?? run.terms.accepted) }
    }

    private func course(of run: EndedRun) -> [JournalEntry] {
        let id = run.id
        var end = JournalEntry(at: run.ended, run.result.state.rawValue, run: id)
        if !run.result.reason.isEmpty { end.details["reason"] = .string(run.result.reason) }
        let by = (run.principal, run.via)
        return [.accepted(id, run.pipeline, run.request, by, run.origin, at: run.accepted)]
            + run.result.actions.map { .ended($0, of: id, begun: run.began ?? run.accepted) } + [end]
    }
}

extension StoreQuery {
    /// Returns the history in an order in which each entry comes after its cause.
    ///
    /// The entries of the journal are in the order in which the core decided. Each entry of a run contains the number
    /// of the run's actions that had ended by then. This number decides the order, and the times do not: somebody may
    /// have set a clock, and actions use a clock of their own.
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
    /// Whether the entry comes after the entry `known`, which the core knows without the journal.
    ///
    /// The core knows the run's acceptance, then the ends of its actions, then the end of the run.
    fileprivate func follows(_ known: JournalEntry, at place: Int) -> Bool {
        // An entry from before the acceptance of the run has no place, for instance that a monitor requested the run.
        guard let own = details[Self.placeKey]?.integer else { return known.unixMilliseconds <= unixMilliseconds }
        return place <= own
    }

    /// The entry with a time between the times of its two neighbours, because actions use another clock.
    fileprivate func moved(behind former: JournalEntry?, before later: JournalEntry?) -> JournalEntry {
        var moved = self
        if let later { moved.unixMilliseconds = min(moved.unixMilliseconds, later.unixMilliseconds) }
        if let former { moved.unixMilliseconds = max(moved.unixMilliseconds, former.unixMilliseconds) }
        return moved
    }
}

extension JournalEntry {
    fileprivate static func accepted(
        _ run: Name,
        _ pipeline: Name,
        _ request: RequestKey,
        _ by: (principal: String, via: String?),
        _ origin: RunOrigin?,
        at unixMilliseconds: Int64
    ) -> JournalEntry {
        var entry = JournalEntry(
            at: unixMilliseconds,
            "accepted",
            run: run,
            principal: by.principal,
            request: request.id,
            details: ["pipeline": .string(pipeline.text)]
        )
        entry.details["via"] = by.via.map { .string($0) }
        entry.details.add(request.label)
        entry.details["origin"] = origin.map { .object($0.item.json) }
        return entry
    }

    fileprivate static func ended(_ action: ActionOutcome, of run: Name, begun: Int64) -> JournalEntry {
        let end = begun + (action.start + action.duration).milliseconds
        var details: JSONObject = ["action": .string(action.action)]
        details["duration_ms"] = .integer(action.duration.milliseconds)
        if let failure = action.failure { details["reason"] = .string(failure.why) }
        return JournalEntry(at: end, "action_\(action.result.word)", run: run, details: details)
    }

    /// The entry as the answer to SHOW contains it.
    var item: HistoryEntryItem {
        var item = HistoryEntryItem()
        (item.unixMilliseconds, item.event) = (unixMilliseconds, event)
        (item.run, item.signal, item.monitor) = (run.map { RunID($0) }, signal.map { SignalID($0) }, monitor?.text)
        (item.principal, item.request) = (principal, request?.text)
        for entry in details.entries where entry.key != Self.placeKey { item.json[entry.key] = entry.value }
        return item
    }
}

extension ActionOutcome {
    /// The action's name and result, with the first part of the reason if it failed.
    var inShort: String {
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
