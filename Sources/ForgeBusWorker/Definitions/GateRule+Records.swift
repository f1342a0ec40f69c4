import ForgeBusStore
import ForgeOrchestrator

/// Converts rules to their stored form and back.
extension SignalRecord.Rule {
    init(_ rule: GateRule) {
        self.init(
            allowed: rule.allowed.map { SignalRecord.Deciders($0) },
            requesterMayDecide: rule.requesterMayDecide,
            approvals: rule.approvals,
            rejections: rule.rejections,
            distinctFrom: rule.distinctFrom.map(\.rawValue).sorted(),
            value: rule.value.map { members in
                members.sorted { $0.key < $1.key }.map { key, member in
                    SignalRecord.Member(key: key, type: member.type.rawValue, isRequired: member.isRequired)
                }
            },
            reminder: rule.reminder?.milliseconds,
            escalation: rule.escalation.map {
                SignalRecord.Escalation(after: $0.after.milliseconds, allowed: SignalRecord.Deciders($0.allowed))
            }
        )
    }
}

extension GateRule {
    init(_ rule: SignalRecord.Rule) {
        self.init(
            allowed: rule.allowed?.set,
            requesterMayDecide: rule.requesterMayDecide,
            approvals: rule.approvals,
            rejections: rule.rejections,
            distinctFrom: Set(rule.distinctFrom.map { ActionID($0) }),
            value: rule.value.map { members in
                Dictionary(members.map { ($0.key, Member($0)) }) { first, _ in first }
            },
            reminder: rule.reminder.map { .milliseconds($0) },
            escalation: rule.escalation.map {
                Escalation(after: .milliseconds($0.after), allowed: $0.allowed.set)
            }
        )
    }
}

extension GateRule.Member {
    /// Restores a stored member; a type that this release does not know becomes `string`.
    fileprivate init(_ member: SignalRecord.Member) {
        let type = ValueType(rawValue: member.type) ?? .string
        self = member.isRequired ? .required(type) : .optional(type)
    }
}

extension SignalRecord.Deciders {
    fileprivate init(_ deciders: Set<GateRule.Decider>) {
        self.init(principals: [], groups: [])
        for decider in deciders {
            switch decider {
            case .principal(let name): principals.insert(name)
            case .group(let name): groups.insert(name)
            }
        }
    }

    fileprivate var set: Set<GateRule.Decider> {
        Set(principals.map { .principal($0) } + groups.map { .group($0) })
    }
}
