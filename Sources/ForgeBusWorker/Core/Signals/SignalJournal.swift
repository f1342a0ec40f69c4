import ForgeBusProtocol
import ForgeBusStore

/// Writes the events of signals into the journal, and publishes new states to watchers.
extension WorkerState {
    /// Records in the journal that these votes no longer count, each with the reason.
    mutating func journal(uncounted votes: [Vote], on signal: Name) {
        guard step.keepsRecords, !votes.isEmpty, let waiting = signals.wait(for: signal) else { return }
        for vote in votes {
            var entry = JournalEntry(
                at: step.moment.unixMilliseconds,
                "vote_uncounted",
                run: waiting.owner.run,
                signal: signal,
                principal: vote.principal
            )
            entry.details["decision"] = .string(vote.outcome.word)
            entry.details["via"] = vote.via.map { .string($0) }
            entry.details["why"] = waiting.flaw(of: vote, on: signal, under: access).map { .string($0) }
            journal(entry)
        }
    }

    mutating func journal(_ decision: GateDecision, on signal: Name, of owner: SignalOwner) {
        step.publish(signal, decision.word)
        guard step.keepsRecords else { return }
        var entry = JournalEntry(at: step.moment.unixMilliseconds, decision.word, run: owner.run, signal: signal)
        if case .closed(let why) = decision { entry.details["why"] = .string(why) }
        journal(entry)
    }

    /// Records in the journal which early decisions a signal used when it opened, and which it dropped and why.
    mutating func journal(
        _ used: [EarlyDecision],
        _ unused: [Signals.Unused],
        on signal: Name,
        of owner: SignalOwner
    ) {
        for early in used { journal(early, "decided_early", on: signal, of: owner) }
        for unused in unused {
            journal(unused.early, "early_unused", on: signal, of: owner, because: unused.why)
        }
    }

    mutating func journal(
        _ early: EarlyDecision,
        _ event: String,
        on signal: Name,
        of owner: SignalOwner,
        because why: String? = nil
    ) {
        guard step.keepsRecords else { return }
        var entry = JournalEntry(
            at: step.moment.unixMilliseconds,
            event,
            run: owner.run,
            signal: signal,
            principal: early.principal,
            details: ["decision": .string(early.outcome.word), "sent_at_ms": .integer(early.vote.unixMilliseconds)]
        )
        entry.details["via"] = early.vote.via.map { .string($0) }
        entry.details.add(early.outcome.shown)
        entry.details["why"] = why.map { .string($0) }
        journal(entry)
    }
}

extension Step {
    /// Publishes a signal's new state, such as `waiting`, `approved` or `expired`, or an event such as `escalated`.
    ///
    /// `add` sets further members; it is called only if somebody watches.
    mutating func publish(_ signal: Name, _ state: String, _ add: (inout SignalEventItem) -> Void = { _ in }) {
        func body() -> JSONObject {
            var item = SignalEventItem()
            (item.signal, item.state) = (SignalID(signal), state)
            add(&item)
            return item.json
        }
        publish(.signal(signal), body())
    }
}
