import ForgeBusProtocol

/// Shows signals and gates, with their votes and early decisions.
extension Reader {
    /// The most principals that an item shows as possible deciders of a gate, or as senders of early decisions.
    private static let mostDeciders = 100

    func item(_ signal: Name, _ waiting: SignalWait) -> JSONObject {
        var item: JSONObject = ["signal": .string(signal.text), "kind": .string(waiting.kind.rawValue)]
        switch waiting.owner {
        case .action(let run, let action):
            item["run"] = .string(run.text)
            item["action"] = .string(action)
            item["title"] = (runs[run]?.terms.title).map { .string($0) }
        case .process(let name): item["process"] = .string(name)
        }
        item["opened_at_ms"] = .integer(waiting.opened)
        item["deadline_at_ms"] = waiting.deadline.map { .integer(now.unix(of: $0)) }
        if waiting.kind == .gate {
            item["message"] = waiting.terms.message.map { .string($0) }
            item["requester"] = waiting.terms.requester.map { .string($0) }
            item.add(waiting.terms.rule.json)
        }
        return item
    }

    /// The votes on a waiting gate, and whether the reader may decide it.
    ///
    /// With `isWhole`, also the values and reasons of the votes, and the principals that may decide.
    func votes(on signal: Name, _ waiting: SignalWait, isWhole: Bool) -> JSONObject {
        var item: JSONObject = [:]
        guard waiting.kind == .gate else { return item }
        let terms = waiting.terms
        item["you"] = .string(waiting.ability(of: principal, on: signal, under: access).rawValue)
        if terms.isEscalated { item["escalated"] = true }
        if terms.rule.isQuorum || !terms.votes.isEmpty {
            item["votes"] = .array(terms.votes.map { $0.standing.json(isWhole ? $0.outcome : nil) })
        }
        guard isWhole, access.isKeyed else { return item }
        let able = access.principalNames.lazy.filter {
            waiting.ability(of: $0, on: signal, under: access) == .mayDecide
        }
        item["may_decide"] = .array(able.prefix(Self.mostDeciders).map { .string($0) })
        return item
    }

    func decisions(_ early: [EarlyDecision]) -> JSONValue {
        .array(
            early.prefix(Self.mostDeciders).map { early in
                var decision: JSONObject = [
                    "decision": .string(early.outcome.word), "by": .string(early.principal),
                    "at_ms": .integer(early.vote.unixMilliseconds), "until_ms": .integer(now.unix(of: early.until)),
                    "asked": .bool(early.isAsked),
                ]
                decision["via"] = early.vote.via.map { .string($0) }
                return .object(decision)
            }
        )
    }

    func details(_ signal: Name, _ state: Signals.State) -> JSONObject {
        let wait = signals.wait(for: signal)
        var item = wait.map { self.item(signal, $0) } ?? ["signal": .string(signal.text)]
        switch state {
        case .waiting(let owner):
            (item["state"], item["owner"]) = ("waiting", .string(owner))
            item.add(wait.map { votes(on: signal, $0, isWhole: true) })
        case .decided(let word, let principal, let owner):
            (item["state"], item["owner"]) = (.string(word), .string(owner))
            item["by"] = .string(principal)
            item.add(signals.ended[signal]?.shown)
        case .expired(let owner): (item["state"], item["owner"]) = ("expired", .string(owner))
        case .closed(let owner, let why):
            (item["state"], item["owner"]) = ("closed", .string(owner))
            item["why"] = .string(why)
        case .early(let principals):
            item["state"] = "buffered"
            item["by"] = .array(principals.prefix(Self.mostDeciders).map { .string($0) })
            item["decisions"] = decisions(signals.early[signal])
        }
        return item
    }
}
