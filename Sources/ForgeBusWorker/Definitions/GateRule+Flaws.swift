import ForgeBusProtocol

/// What a worker asks a rule.
extension GateRule {
    /// Whether the rule needs a worker with keys.
    var needsIdentities: Bool {
        allowed != nil || !requesterMayDecide || isQuorum || !distinctFrom.isEmpty || escalation != nil
    }

    /// How many votes of this kind decide the gate.
    func need(of kind: Decision.Kind) -> Int {
        switch kind {
        case .approved: approvals
        case .rejected: rejections
        }
    }

    /// Why the rule is invalid, as the end of a sentence; nil if it is valid.
    var flaw: String? {
        let counts = 1...Self.mostVotes
        if !counts.contains(approvals) { return "it needs \(approvals) approvals; 1 to \(Self.mostVotes) are possible" }
        if !counts.contains(rejections) {
            return "it needs \(rejections) rejections; 1 to \(Self.mostVotes) are possible"
        }
        if let value, value.count > Self.mostMembers {
            return "it expects \(value.count) values; at most \(Self.mostMembers) are allowed"
        }
        if let reminder, !Self.isTime(reminder) {
            return Errors.badTime("between reminders", reminder)
        }
        guard let escalation else { return nil }
        if !Self.isTime(escalation.after) {
            return Errors.badTime("before the escalation", escalation.after)
        }
        return allowed == nil ? Errors.escalatesToAll : nil
    }

    /// Whether a record can store the time exactly: whole milliseconds, from 1 ms to 365 days.
    private static func isTime(_ time: Duration) -> Bool {
        (.milliseconds(1) ... .seconds(365 * 86_400)).contains(time) && time == .milliseconds(time.milliseconds)
    }

    /// The principals that the rule names, including those in its escalation.
    var namedPrincipals: Set<String> {
        Set(deciders.compactMap { if case .principal(let name) = $0 { name } else { nil } })
    }

    /// The groups that the rule names, including those in its escalation.
    var namedGroups: Set<String> { Set(deciders.compactMap { if case .group(let name) = $0 { name } else { nil } }) }

    private var deciders: Set<Decider> { (allowed ?? []).union(escalation?.allowed ?? []) }
}
