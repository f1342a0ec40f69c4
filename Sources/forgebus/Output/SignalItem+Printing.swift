import ForgeBusClient
import ForgeBusProtocol

/// Formats a gate for those who decide: its id, its message, and a line for each fact that they need.
extension Item<SignalMembers> {
    /// The gate in lines, without the commands that decide it; `client` completes the command that takes a vote back.
    func lines(_ client: ClientOptions) -> [String] {
        let message = (self.message ?? "").split(whereSeparator: \.isNewline).map { "  | \($0)" }
        let origin = self.run.map { "run \($0)" + (self.action.map { ", action \($0)" } ?? "") }
        var facts = [("for", origin.map { $0 + (self.requester.map { ", requested by \($0)" } ?? "") })]
        if isWaiting {
            facts += [
                ("waits", times), ("votes", count), ("may decide", deciders), ("later also", escalation),
                ("you", own(client)),
            ]
        } else {
            let time = self.decidedUnixMilliseconds.map { " at \(Timestamp.text($0))" } ?? ""
            facts.append((json["state"]?.string ?? "state", ending + time))
        }
        return [self.title.map { "\($0)  (\(self.id))" } ?? self.id.text] + message
            + facts.compactMap { label, text in text.map { Self.row(label, $0) } }
    }

    /// The commands that decide the gate, with the values that an approval takes.
    func commands(_ client: ClientOptions) -> [String] {
        [
            Self.row("approve", client.command(["approve", self.id.text] + expected + ["--because REASON"])),
            Self.row("reject", client.command(["reject", self.id.text, "REASON"])),
        ]
    }

    static func row(_ label: String, _ text: String) -> String { "  \(label.padded(to: 12))\(text)" }

    private var times: String {
        let opened = self.openedUnixMilliseconds.map { "since \(Timestamp.text($0))" }
        let deadline = self.deadlineUnixMilliseconds.map { "expires \(Timestamp.text($0))" }
        return [opened, deadline].compactMap(\.self).joined(separator: ", ")
    }

    /// How many votes the gate needs and who has voted; nil if one decision is enough.
    private var count: String? {
        guard let rule, max(rule.approvals, rule.rejections) > 1 else { return nil }
        let cast = (self.votes ?? []).map { vote in
            "\(vote.decision?.rawValue ?? "voted") by \(vote.principal) at \(Timestamp.text(vote.unixMilliseconds))"
        }
        let needs = "needs \(rule.approvals) to approve, \(rule.rejections) to reject"
        return "\(needs); " + (cast.isEmpty ? "none yet" : cast.joined(separator: ", "))
    }

    /// The principals that may still decide the gate, or nil.
    ///
    /// If the worker names no principals, these are the principals and groups that the gate's rule names. The value is
    /// nil if the rule names nobody either.
    private var deciders: String? {
        if let able = self.mayDecide, !able.isEmpty { return able.joined(separator: ", ") }
        guard let rule, let allowed = rule.allowed else { return nil }
        return Self.words(allowed) + (rule.requesterMayDecide ? "" : ", but not the requester")
    }

    /// The additional deciders of an escalation, with its time; nil without an escalation, or once it has happened.
    private var escalation: String? {
        guard let escalation = rule?.escalation, !self.isEscalated, let opened = self.openedUnixMilliseconds else {
            return nil
        }
        return "\(Self.words(escalation.allowed)) from \(Timestamp.text(opened + escalation.after.milliseconds))"
    }

    /// The principals and then the groups, each sorted.
    private static func words(_ deciders: Set<GateRule.Decider>) -> String {
        let principals = deciders.compactMap { if case .principal(let name) = $0 { name } else { nil } }
        let groups = deciders.compactMap { if case .group(let name) = $0 { "group \(name)" } else { nil } }
        return (principals.sorted() + groups.sorted()).joined(separator: ", ")
    }

    /// A remark for a caller that has voted or may not decide; otherwise nil.
    private func own(_ client: ClientOptions) -> String? {
        switch self.you {
        case .voted: "have voted; to take your vote back: \(client.command(["withdraw", self.id.text]))"
        case .mayNot: "may not decide this gate"
        case .mayDecide, nil: nil
        }
    }

    private var ending: String {
        guard let votes = self.votes, !votes.isEmpty else { return self.by?.string.map { "by \($0)" } ?? "" }
        return "by the votes of \(votes.map(\.principal).joined(separator: ", "))"
    }

    /// The values that an approval must or may have, as options of `approve`; the required ones come first.
    private var expected: [String] {
        let members = (rule?.value ?? [:]).sorted { $0.key < $1.key }.map { key, member in
            let type = member.type.rawValue
            let option = type == "string" ? "--value \(key)=TEXT" : "--value \(key):=\(type.uppercased())"
            return (member.isRequired, member.isRequired ? option : "[\(option)]")
        }
        return members.filter(\.0).map(\.1) + members.filter { !$0.0 }.map(\.1)
    }
}
