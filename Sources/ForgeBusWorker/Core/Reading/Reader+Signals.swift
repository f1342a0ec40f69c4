import ForgeBusProtocol

/// Shows signals and gates, with their votes and early decisions.
extension Reader {
    /// The most principals that an item shows as possible deciders of a gate, or as senders of early decisions.
    private static let mostDeciders = 100

    func item(_ signal: Name, _ waiting: SignalWait) -> SignalItem {
        var item = SignalItem()
        (item.id, item.kind) = (SignalID(signal), waiting.kind)
        switch waiting.owner {
        case .action(let run, let action):
            (item.run, item.action, item.title) = (RunID(run), action, runs[run]?.terms.title)
        case .process(let name): item.process = name
        }
        item.openedUnixMilliseconds = waiting.opened
        item.deadlineUnixMilliseconds = waiting.deadline.map { now.unix(of: $0) }
        if waiting.kind == .gate {
            (item.message, item.requester) = (waiting.terms.message, waiting.terms.requester)
            item.json.add(waiting.terms.rule.json)
        }
        return item
    }

    /// Adds the votes on a waiting gate, and whether the reader may decide it.
    ///
    /// With `isWhole`, also the values and reasons of the votes, and the principals that may decide.
    func addVotes(to item: inout SignalItem, _ signal: Name, _ waiting: SignalWait, isWhole: Bool) {
        guard waiting.kind == .gate else { return }
        let terms = waiting.terms
        item.you = waiting.ability(of: principal, on: signal, under: access)
        item.isEscalated = terms.isEscalated
        if terms.rule.isQuorum || !terms.votes.isEmpty {
            item.votes = terms.votes.map { $0.standing.item(isWhole ? $0.outcome : nil) }
        }
        guard isWhole, access.isKeyed else { return }
        let able = access.principalNames.lazy.filter {
            waiting.ability(of: $0, on: signal, under: access) == .mayDecide
        }
        item.mayDecide = Array(able.prefix(Self.mostDeciders))
    }

    func decisions(on signal: Name) -> [EarlyDecisionItem] {
        signals.early[signal].prefix(Self.mostDeciders).map { early in
            var item = EarlyDecisionItem()
            (item.decision, item.principal) = (early.outcome.kind, early.principal)
            item.unixMilliseconds = early.vote.unixMilliseconds
            item.untilUnixMilliseconds = now.unix(of: early.until)
            (item.isAsked, item.via) = (early.isAsked, early.vote.via)
            return item
        }
    }

    func details(_ signal: Name, _ state: Signals.State) -> SignalItem {
        let wait = signals.wait(for: signal)
        var item = SignalItem()
        if let wait { item = self.item(signal, wait) } else { item.id = SignalID(signal) }
        switch state {
        case .waiting(let owner):
            (item.state, item.owner) = (.waiting, owner)
            if let wait { addVotes(to: &item, signal, wait, isWhole: true) }
        case .decided(let kind, let principal, let owner):
            (item.state, item.owner) = (SignalState(kind), owner)
            item.by = .string(principal)
            item.json.add(signals.ended[signal]?.shown)
        case .expired(let owner): (item.state, item.owner) = (.expired, owner)
        case .closed(let owner, let why): (item.state, item.owner, item.why) = (.closed, owner, why)
        case .early(let principals):
            item.state = .buffered
            item.by = .array(principals.prefix(Self.mostDeciders).map { .string($0) })
            item.decisions = decisions(on: signal)
        }
        return item
    }
}
