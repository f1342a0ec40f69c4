import ForgeBusClient
import ForgeBusProtocol

/// Formats a gate for those who decide: its id, its message, and a line for each fact that they need.
extension HeldSignal {
    /// The gate in lines, without the commands that decide it; `client` completes the command that takes a vote back.
    func lines(_ client: ClientOptions) -> [String] {
        let message = (json["message"]?.string ?? "").split(whereSeparator: \.isNewline).map { "  | \($0)" }
        let origin = run.map { "run \($0)" + (action.map { ", action \($0)" } ?? "") }
        var facts = [("for", origin.map { $0 + (json["requester"]?.string.map { ", requested by \($0)" } ?? "") })]
        if state == .waiting {
            facts += [
                ("waits", times), ("votes", votes), ("may decide", deciders), ("later also", escalation),
                ("you", own(client)),
            ]
        } else {
            let time = json["decided_at_ms"]?.integer.map { " at \(Timestamp.text($0))" } ?? ""
            facts.append((json["state"]?.string ?? "state", ending + time))
        }
        return [title.map { "\($0)  (\(id))" } ?? id.text] + message
            + facts.compactMap { label, text in text.map { Self.row(label, $0) } }
    }

    /// The commands that decide the gate, with the values that an approval takes.
    func commands(_ client: ClientOptions) -> [String] {
        [
            Self.row("approve", client.command(["approve", id.text] + expected + ["--because REASON"])),
            Self.row("reject", client.command(["reject", id.text, "REASON"])),
        ]
    }

    static func row(_ label: String, _ text: String) -> String { "  \(label.padded(to: 12))\(text)" }

    private var times: String {
        let opened = json["opened_at_ms"]?.integer.map { "since \(Timestamp.text($0))" }
        let deadline = deadlineUnixMilliseconds.map { "expires \(Timestamp.text($0))" }
        return [opened, deadline].compactMap(\.self).joined(separator: ", ")
    }

    /// How many votes the gate needs and who has voted; nil if one decision is enough.
    private var votes: String? {
        guard let rule, max(rule.approvals, rule.rejections) > 1 else { return nil }
        let cast = (json["votes"]?.array ?? []).compactMap(\.object).map { vote in
            let time = vote["at_ms"]?.integer.map { " at \(Timestamp.text($0))" } ?? ""
            return "\(vote["decision"]?.string ?? "voted") by \(vote["by"]?.string ?? "somebody")\(time)"
        }
        let needs = "needs \(rule.approvals) to approve, \(rule.rejections) to reject"
        return "\(needs); " + (cast.isEmpty ? "none yet" : cast.joined(separator: ", "))
    }

    /// The principals that may still decide the gate, or nil.
    ///
    /// If the worker names no principals, these are the principals and groups that the gate's rule names. The value is
    /// nil if the rule names nobody either.
    private var deciders: String? {
        if let able = json["may_decide"]?.array?.compactMap(\.string), !able.isEmpty {
            return able.joined(separator: ", ")
        }
        guard let rule, let allowed = rule.allowed else { return nil }
        return Self.words(allowed) + (rule.requesterMayDecide ? "" : ", but not the requester")
    }

    /// The additional deciders of an escalation, with its time; nil without an escalation, or once it has happened.
    private var escalation: String? {
        guard let escalation = rule?.escalation, json["escalated"]?.bool != true,
            let opened = json["opened_at_ms"]?.integer
        else { return nil }
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
        switch you {
        case .voted: "have voted; to take your vote back: \(client.command(["withdraw", id.text]))"
        case .mayNot: "may not decide this gate"
        case .mayDecide, nil: nil
        }
    }

    private var ending: String {
        guard let votes = json["votes"]?.array?.compactMap({ $0.object?["by"]?.string }), !votes.isEmpty else {
            return json["by"]?.string.map { "by \($0)" } ?? ""
        }
        return "by the votes of \(votes.joined(separator: ", "))"
    }

    /// The values that an approval must or may have, as options of `approve`; the required ones come first.
    private var expected: [String] {
        let members = (json["expects"]?.object?.entries ?? []).map { member in
            let shape = member.value.object ?? [:]
            let (type, isRequired) = (shape["type"]?.string ?? "", shape["required"] == true)
            let option = type == "string" ? "--value \(member.key)=TEXT" : "--value \(member.key):=\(type.uppercased())"
            return (isRequired, isRequired ? option : "[\(option)]")
        }
        return members.filter(\.0).map(\.1) + members.filter { !$0.0 }.map(\.1)
    }
}
