import ForgeBusProtocol
import ForgeBusWorker

/// The grant of one right in an access file: a list of patterns, or a mapping with the lists `allow` and `deny`.
struct GrantDefinition {
    let right: AccessPolicy.Right

    /// Reads the grant, and records every problem.
    func grant(_ entry: Entry) -> AccessPolicy.Grant {
        if case .sequence = entry.node { return AccessPolicy.Grant(allow: patterns(entry)) }
        guard case .mapping(let mapping) = entry.node else {
            entry.mustBe(
                "a list of patterns, or a mapping with `allow` and `deny`",
                next: "Write a list such as [\(right.example)], or such lists under `allow` and `deny`."
            )
            return AccessPolicy.Grant()
        }
        guard let fields = Fields(entry, ["allow", "deny"], of: "a grant") else { return AccessPolicy.Grant() }
        if mapping.isEmpty {
            let next = "Write one or both, each with a list of patterns; or remove `\(right.rawValue)`."
            entry.note(.missingKey, "Expected `allow` or `deny`, found neither.", next: next)
        }
        return AccessPolicy.Grant(
            allow: fields["allow"].map(patterns) ?? [],
            deny: fields["deny"].map(patterns) ?? []
        )
    }

    private func patterns(_ entry: Entry) -> [NamePattern] {
        var seen: Set<String> = []
        let list = entry.someElements(
            "a list of patterns \(right.targets)",
            next: "Write a list such as [\(right.example)].",
            isOptional: true
        )
        return (list ?? []).compactMap { element in
            guard let text = element.text("a pattern \(right.targets)") else { return nil }
            guard seen.insert(text).inserted else {
                element.note(.duplicate, "\(Printable.quoted(text)) is in this list already.", next: "Remove one.")
                return nil
            }
            return pattern(text, element)
        }
    }

    private func pattern(_ text: String, _ entry: Entry) -> NamePattern? {
        do throws(BusError) {
            let pattern = try NamePattern(text)
            if let flaw = right == .read
                ? Self.flaw(ofReading: pattern) : right == .actAs ? Self.flaw(ofActing: pattern) : nil
            {
                entry.note(.badValue, flaw.message, next: flaw.next)
                return nil
            }
            return pattern
        } catch {
            entry.note(.badValue, error.message, next: error.next)
            return nil
        }
    }

    /// Why a pattern of the right `act_as` can match nothing; nil if the pattern can match.
    ///
    /// For this right, a pattern matches a text `RIGHT.PRINCIPAL`: a right, and the principal that has the right.
    private static func flaw(ofActing pattern: NamePattern) -> (message: String, next: String)? {
        let tokens = pattern.text.split(separator: ".").map(String.init)
        let rights = AccessPolicy.Right.own.map(\.rawValue)
        guard let first = tokens.first, first != ">" else { return nil }
        guard first == "*" || rights.contains(first) else {
            let guess = Spelling.guess(first, among: rights).map { right in
                " Did you mean `\(([right] + tokens.dropFirst()).joined(separator: "."))`?"
            }
            return (
                "\(Printable.quoted(pattern.text)) does not begin with a right.\(guess ?? "")",
                "Write RIGHT.PRINCIPAL; the rights are \(rights.joined(separator: ", "))."
            )
        }
        return tokens.count > 1
            ? nil
            : (
                "\(Printable.quoted(pattern.text)) names no principal.",
                "Write \(first).NAME for one principal, or \(first).> for every principal."
            )
    }

    /// Why a pattern of the right `read` can match no item; nil if the pattern can match items.
    ///
    /// For this right, the name of an item begins with the item's kind.
    private static func flaw(ofReading pattern: NamePattern) -> (message: String, next: String)? {
        let tokens = pattern.text.split(separator: ".").map(String.init)
        // Not `output`: the right to read a run includes the run's output.
        let kinds = ItemKind.allCases.filter { $0 != .output }.map(\.rawValue)
        guard let first = tokens.first, first != ">" else { return nil }
        if first == ItemKind.worker.rawValue {
            let flaw = "\(Printable.quoted(pattern.text)) matches no item that can be read."
            return tokens.count == 1
                ? nil : (flaw, "Write `worker` alone, without a name after it: the access file is about one worker.")
        }
        guard first == "*" || kinds.contains(first) else {
            let known = kinds.first { "\($0)s" == first } ?? Spelling.guess(first, among: kinds)
            let guess = known.map { " Did you mean `\(([$0] + tokens.dropFirst()).joined(separator: "."))`?" } ?? ""
            return (
                "\(Printable.quoted(pattern.text)) matches no item that can be read.\(guess)",
                "Begin the pattern with \(kinds.joined(separator: ", ")), `*` or `>`."
            )
        }
        guard tokens.count == 1 else { return nil }
        if first == "*" {
            return (
                "\(Printable.quoted(pattern.text)) has only one part, so it matches no item but the worker.",
                "Write \">\" to match every item, or `worker` to match only the worker."
            )
        }
        return (
            "\(Printable.quoted(pattern.text)) matches no item that can be read.",
            "Write `\(first).>` to match every item of this kind."
        )
    }
}

extension AccessPolicy.Right {
    /// What the right's patterns match, for messages: the words after "a list of patterns" or "a pattern".
    fileprivate var targets: String {
        switch self {
        case .notify: "of topics"
        case .run, .cancel: "of pipelines"
        case .complete: "of signals"
        case .read: "of items, such as run.> or signal.>"
        case .mode: "of monitors, or of what may be paused, such as pipeline.deploy"
        case .admin: "of an operator's tasks, such as store.stats"
        case .actAs: "of the form RIGHT.PRINCIPAL, such as run.>"
        }
    }

    /// An example of a pattern, for messages.
    fileprivate var example: String {
        switch self {
        case .notify: "stock.>"
        case .run, .cancel: "deploy"
        case .complete: "deploy.>"
        case .read, .actAs: "run.>"
        case .mode: "stock"
        case .admin: "store.stats"
        }
    }
}
