import ForgeBusProtocol

/// Decisions and votes as JSON, in the answer to SHOW and in the history.
extension Decision.Outcome {
    /// The value of an approval or the reason of a rejection; empty if none was sent, or if it is too large to show.
    var shown: JSONObject {
        guard sizeInBytes <= Self.shownSizeInBytes else { return [:] }
        let shown: JSONObject =
            switch GateDecision(self) {
            case .approved(let value): value == .null ? [:] : ["value": value]
            case .rejected(let reason): reason.isEmpty ? [:] : ["reason": .string(reason)]
            case .expired, .closed: [:]
            }
        return JSONValue.object(shown).isShowable ? shown : [:]
    }

    /// The most bytes of a value or reason that is shown; both the sent bytes and the encoded JSON are measured.
    fileprivate static let shownSizeInBytes = 4_096
}

extension JSONValue {
    /// Whether the value is small enough to be shown with each vote of a gate: one frame must hold all these votes.
    fileprivate var isShowable: Bool {
        extent.depth <= 8 && extent.keys <= 17 && encoded.count <= Decision.Outcome.shownSizeInBytes + 16
    }
}

extension Verdict.Standing {
    /// The vote as JSON, with its value or reason; `outcome` is nil if the value or reason is no longer kept.
    func json(_ outcome: Decision.Outcome?) -> JSONValue {
        var vote: JSONObject = [
            "by": .string(principal), "decision": .string(decision.rawValue), "at_ms": .integer(unixMilliseconds),
        ]
        vote["via"] = via.map { .string($0) }
        vote.add(outcome?.shown)
        return .object(vote)
    }
}

extension GateRule {
    /// The rule's members that differ from ``anybody``, as JSON for the answer to SHOW and for the history.
    var json: JSONObject {
        var json: JSONObject = [:]
        if let allowed { json.set(allowed, "allowed", "allowed_groups") }
        if !requesterMayDecide { json["requester_may_decide"] = false }
        if isQuorum {
            json["approvals"] = .integer(Int64(approvals))
            json["rejections"] = .integer(Int64(rejections))
        }
        if !distinctFrom.isEmpty {
            json["distinct_from"] = .array(distinctFrom.sorted().map { .string($0.rawValue) })
        }
        if let value {
            var members: JSONObject = [:]
            for (key, member) in value.sorted(by: { $0.key < $1.key }) {
                members[key] = ["type": .string(member.type.rawValue), "required": .bool(member.isRequired)]
            }
            json["expects"] = .object(members)
        }
        json["remind_ms"] = reminder.map { .integer($0.milliseconds) }
        if let escalation {
            var more: JSONObject = ["after_ms": .integer(escalation.after.milliseconds)]
            more.set(escalation.allowed, "allowed", "allowed_groups")
            json["escalate"] = .object(more)
        }
        return json
    }
}

extension JSONObject {
    /// Writes the names of the principals and of the groups as two sorted lists, and leaves out an empty list.
    ///
    /// If both lists are empty, an empty list of principals is written.
    fileprivate mutating func set(_ deciders: Set<GateRule.Decider>, _ principalsKey: String, _ groupsKey: String) {
        var (principals, groups): ([String], [String]) = ([], [])
        for decider in deciders {
            switch decider {
            case .principal(let name): principals.append(name)
            case .group(let name): groups.append(name)
            }
        }
        if !principals.isEmpty || groups.isEmpty {
            self[principalsKey] = .array(principals.sorted().map { .string($0) })
        }
        if !groups.isEmpty { self[groupsKey] = .array(groups.sorted().map { .string($0) }) }
    }
}
