import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator

/// Reads the rule of a gate, and records every problem, so that no gate allows more than its file says.
enum RuleDefinition {
    static func rule(_ fields: Fields, distinctFrom gates: [String]) -> GateRule {
        let rule = GateRule(
            allowed: fields["allowed"].map(deciders),
            requesterMayDecide: fields["requester_may_decide"].map { $0.flag ?? false } ?? true,
            // An invalid number becomes the largest number of votes. The recorded problem refuses the file anyway.
            approvals: fields["approvals"].map { _ in fields.integer("approvals") ?? GateRule.mostVotes } ?? 1,
            rejections: fields["rejections"].map { _ in fields.integer("rejections") ?? GateRule.mostVotes } ?? 1,
            distinctFrom: Set(gates),
            value: fields["value"].map(value),
            reminder: fields.time("remind"),
            escalation: fields.fields("escalate").flatMap(escalation)
        )
        if rule.escalation != nil, rule.allowed == nil {
            fields.note(Errors.escalationOfAnybody, at: "escalate")
        }
        return rule
    }

    /// The first key that limits who may decide, and so needs a worker with keys; nil if the rule has no such key.
    static func keyOfIdentities(_ rule: GateRule) -> String? {
        if rule.allowed != nil { return "allowed" }
        if !rule.requesterMayDecide { return "requester_may_decide" }
        if rule.approvals > 1 { return "approvals" }
        if rule.rejections > 1 { return "rejections" }
        if !rule.distinctFrom.isEmpty { return "distinct_from" }
        return rule.escalation == nil ? nil : "escalate"
    }

    private static func escalation(_ fields: Fields) -> GateRule.Escalation? {
        let after = fields.required("after").flatMap { _ in fields.time("after") }
        let allowed = fields.required("allowed").map(deciders)
        guard let after, let allowed else { return nil }
        return GateRule.Escalation(after: after, allowed: allowed)
    }

    // MARK: Who decides

    private static func deciders(_ entry: Entry) -> Set<GateRule.Decider> {
        var deciders: Set<GateRule.Decider> = []
        for element in entry.someElements("a list of principals and groups") ?? [] {
            guard let decider = decider(element) else { continue }
            if !deciders.insert(decider).inserted {
                element.note(Errors.listedTwice(decider.words))
            }
        }
        return deciders
    }

    private static func decider(_ entry: Entry) -> GateRule.Decider? {
        guard case .mapping = entry.node else { return principal(entry).map { .principal($0) } }
        guard let fields = Fields(entry, .group),
            let name = fields.required("group")?.text("the name of a group")
        else { return nil }
        if let flaw = Names.flaw(in: name) {
            fields.note(Errors.notName(flaw), at: "group")
            return nil
        }
        return .group(name)
    }

    private static func principal(_ entry: Entry) -> String? {
        guard let text = entry.text("the name of a principal") else { return nil }
        if let flaw = Names.flaw(in: text) {
            entry.note(Errors.notName(flaw))
            return nil
        }
        let owners = [
            AccessPolicy.reservedName.text: "for senders without a key, who cannot be distinguished",
            AccessPolicy.workerName.text: "for the worker itself, which decides nothing",
        ]
        if let owner = owners[text] {
            entry.note(Errors.reservedDecider(text, owner))
            return nil
        }
        return text
    }

    // MARK: What an approval has

    private static func value(_ entry: Entry) -> [String: GateRule.Member] {
        let members = entry.members(
            "a mapping of the value's keys to their types",
            next: "Write a mapping such as {ticket: {type: string}}."
        )
        let types = (members ?? []).compactMap { member in Self.member(member).map { (member.name, $0) } }
        return Dictionary(types) { first, _ in first }
    }

    private static func member(_ member: Member) -> GateRule.Member? {
        if let flaw = Names.flaw(in: member.name) {
            member.entry.problems.add(Errors.notName(flaw), at: member.position, key: member.entry.key)
            return nil
        }
        guard let fields = Fields(member.entry, .member) else { return nil }
        let isRequired = fields["required"].map(\.flag)
        guard let type = fields.required("type")?.valueType,
            isRequired != .some(nil)
        else { return nil }
        return isRequired == true ? .required(type) : .optional(type)
    }
}

extension GateRule.Decider {
    fileprivate var words: String {
        switch self {
        case .principal(let name): Printable.quoted(name)
        case .group(let name): "The group \(Printable.quoted(name))"
        }
    }
}
