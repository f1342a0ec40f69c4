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
        guard let fields = Fields(entry, .grant) else { return AccessPolicy.Grant() }
        if mapping.isEmpty { entry.note(Errors.noPatterns(for: right)) }
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
                element.note(Errors.listedTwice(Printable.quoted(text)))
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
                entry.note(flaw)
                return nil
            }
            return pattern
        } catch {
            entry.note(Errors.badValue(error))
            return nil
        }
    }

    /// Why a pattern of the right `act_as` can match nothing; nil if the pattern can match.
    ///
    /// For this right, a pattern matches a text `RIGHT.PRINCIPAL`: a right, and the principal that has the right.
    private static func flaw(ofActing pattern: NamePattern) -> ConfigurationError? {
        let tokens = pattern.text.split(separator: ".").map(String.init)
        let rights = AccessPolicy.Right.own.map(\.rawValue)
        guard let first = tokens.first, first != ">" else { return nil }
        guard first == "*" || rights.contains(first) else {
            let guess = Spelling.guess(first, among: rights).map { right in
                ([right] + tokens.dropFirst()).joined(separator: ".")
            }
            return Errors.patternWithoutRight(pattern, rights: rights, guess: guess)
        }
        return tokens.count > 1 ? nil : Errors.patternWithoutPrincipal(pattern, right: first)
    }

    /// Why a pattern of the right `read` can match no item; nil if the pattern can match items.
    ///
    /// For this right, the name of an item begins with the item's kind.
    private static func flaw(ofReading pattern: NamePattern) -> ConfigurationError? {
        let tokens = pattern.text.split(separator: ".").map(String.init)
        // Not `output`: the right to read a run includes the run's output.
        let kinds = ItemKind.allCases.filter { $0 != .output }.map(\.rawValue)
        guard let first = tokens.first, first != ">" else { return nil }
        if first == ItemKind.worker.rawValue {
            return tokens.count == 1 ? nil : Errors.patternOfNamedWorker(pattern)
        }
        guard first == "*" || kinds.contains(first) else {
            let known = kinds.first { "\($0)s" == first } ?? Spelling.guess(first, among: kinds)
            let guess = known.map { ([$0] + tokens.dropFirst()).joined(separator: ".") }
            let next = "Begin the pattern with \(kinds.joined(separator: ", ")), `*` or `>`."
            return Errors.patternWithoutItems(pattern, guess: guess, next: next)
        }
        guard tokens.count == 1 else { return nil }
        return first == "*"
            ? Errors.patternOnlyOfWorker(pattern)
            : Errors.patternWithoutItems(pattern, next: "Write `\(first).>` to match every item of this kind.")
    }
}

extension AccessPolicy.Right {
    /// What the right's patterns match, for messages: the words after "a list of patterns" or "a pattern".
    var targets: String {
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
