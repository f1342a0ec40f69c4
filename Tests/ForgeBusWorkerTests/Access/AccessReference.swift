import ForgeBusProtocol
import ForgeBusWorker

/// What a policy means, by brute force: every pattern is the set of the names it means, written out.
///
/// Names are of three tokens, one of which no pattern mentions, and of up to four of them; patterns have three at most.
/// So whatever tells two patterns apart is among the names.
struct AccessReference {
    typealias Rules = [AccessPolicy.Right: (allow: [String], deny: [String])]

    static let tokens = ["a", "b", "z"]
    static let depth = 4
    static let names: [String] = suffixes(atMost: depth)

    let rules: [String: Rules]

    /// Whether the principal has the right on all of what `target`, a name or a pattern, means.
    func allows(_ principal: String, _ right: AccessPolicy.Right, on target: String) -> Bool {
        guard let rule = rules[principal]?[right] else { return false }
        let wanted = Self.meaning(of: target)
        let isAllowed = rule.allow.contains { wanted.isSubset(of: Self.meaning(of: $0)) }
        let isDenied = rule.deny.contains { !wanted.isDisjoint(with: Self.meaning(of: $0)) }
        return isAllowed && !isDenied
    }

    /// The names that a pattern means.
    static func meaning(of pattern: String) -> Set<String> {
        var meant = [""]
        for token in pattern.split(separator: ".") {
            switch token {
            case "*": meant = meant.flatMap { name in tokens.map { join(name, $0) } }
            case ">": meant = meant.flatMap { name in names.map { join(name, $0) } }
            default: meant = meant.map { join($0, String(token)) }
            }
        }
        return Set(meant.filter { $0.split(separator: ".").count <= depth })
    }

    private static func suffixes(atMost depth: Int) -> [String] {
        guard depth > 0 else { return [] }
        return tokens + suffixes(atMost: depth - 1).flatMap { rest in tokens.map { join($0, rest) } }
    }

    private static func join(_ a: String, _ b: String) -> String { a.isEmpty ? b : "\(a).\(b)" }
}

extension AccessReference {
    /// Rules that are drawn from `generator`, for the principals `p`, `q` and `r`.
    static func random(_ generator: inout SeededGenerator) -> AccessReference {
        var rules: [String: Rules] = [:]
        for principal in ["p", "q", "r"] {
            var own: Rules = [:]
            for right in AccessPolicy.Right.allCases where !generator.oneIn(4) {
                let allow = (0..<generator.below(3)).map { _ in pattern(&generator) }
                let deny = (0..<generator.below(2)).map { _ in pattern(&generator) }
                own[right] = (allow, deny)
            }
            rules[principal] = own
        }
        return AccessReference(rules: rules)
    }

    /// A pattern of one to three tokens.
    static func pattern(_ generator: inout SeededGenerator) -> String {
        var parts = (0..<1 + generator.below(3)).map { _ in ["a", "b", "*"][generator.below(3)] }
        if generator.oneIn(3) { parts[parts.count - 1] = ">" }
        return parts.joined(separator: ".")
    }

    /// A name of so many tokens at most.
    static func name(_ generator: inout SeededGenerator, atMost count: Int = depth) -> String {
        (0..<1 + generator.below(count)).map { _ in tokens[generator.below(tokens.count)] }.joined(separator: ".")
    }

    /// The policy that says the same.
    func policy(keys: [String: [AccessPolicy.Key]] = [:]) throws -> AccessPolicy {
        let members = try rules.map { name, rules in
            let grants = try rules.mapValues { rule in
                try AccessPolicy.Grant(
                    allow: rule.allow.map { try NamePattern($0) },
                    deny: rule.deny.map { try NamePattern($0) }
                )
            }
            return try AccessPolicy.Member(Name(name), keys: keys[name] ?? [], grants: AccessPolicy.Grants(grants))
        }
        return try AccessPolicy(members)
    }
}
