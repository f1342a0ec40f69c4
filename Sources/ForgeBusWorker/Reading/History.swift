import ForgeBusProtocol
import ForgeBusStore

extension Reader {
    /// Collects the entries about a name that the core knows without the journal.
    func query(_ name: Name, _ received: Received) -> HistoryQuery {
        HistoryQuery(
            name: name,
            isKnown: runs.known(name) != nil || gates.knows(name) || monitors[name] != nil,
            known: runs[name].map(course) ?? runs.ended[name].map(course) ?? [],
            request: received.request.id,
            caller: received.caller,
            principal: received.principal
        )
    }

    private func course(of run: RunMachine) -> [JournalEntry] {
        [.accepted(run.id, run.pipeline, run.request, run.principal, at: run.terms.accepted)]
            + run.course.actions.map { .ended($0, of: run.id, begun: run.began ?? run.terms.accepted) }
    }

    private func course(of run: EndedRun) -> [JournalEntry] {
        let id = run.id
        var end = JournalEntry(at: run.ended, run.result.state.rawValue, run: id)
        if !run.result.reason.isEmpty { end.details["reason"] = .string(run.result.reason) }
        return [.accepted(id, run.pipeline, run.request, run.principal, at: run.accepted)]
            + run.result.actions.map { .ended($0, of: id, begun: run.began ?? run.accepted) } + [end]
    }
}

extension HistoryQuery {
    /// Returns the history, with each entry after its cause.
    ///
    /// The journal is in the order in which the core decided, and each entry of a run has the number of the run's
    /// actions that had ended by then. Clocks do not decide: somebody may have set them, and actions have a clock of
    /// their own.
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
    /// Whether the entry comes after an entry that the core knows without the journal.
    ///
    /// Those are the run's acceptance, then the ends of its actions, then its own end.
    fileprivate func follows(_ known: JournalEntry, at place: Int) -> Bool {
        // An entry of an earlier version has no place.
        guard let own = details[Self.placeKey]?.integer else { return known.unixMilliseconds <= unixMilliseconds }
        return place <= own
    }

    /// The entry with its time limited to the times of the entries around it, because actions have another clock.
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

    fileprivate static func ended(_ action: ActionOutcome, of run: Name, begun: Int64) -> JournalEntry {
        let end = begun + (action.start + action.duration).milliseconds
        var details: JSONObject = ["action": .string(action.action)]
        details["duration_ms"] = .integer(action.duration.milliseconds)
        if let failure = action.failure { details["reason"] = .string(failure.why) }
        return JournalEntry(at: end, "action_\(action.result.word)", run: run, details: details)
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
