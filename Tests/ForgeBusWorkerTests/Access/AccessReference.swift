import ForgeBusProtocol
import ForgeBusWorker
import TestSupport

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
    /// For whom the principal `g` may act with which right: patterns of `RIGHT.PRINCIPAL`.
    var acting: (allow: [String], deny: [String]) = ([], [])

    /// Whether the principal has the right on all of what `target`, a name or a pattern, means.
    func allows(_ principal: String, _ right: AccessPolicy.Right, on target: String) -> Bool {
        guard let rule = rules[principal]?[right] else { return false }
        let wanted = Self.meaning(of: target)
        let isAllowed = rule.allow.contains { wanted.isSubset(of: Self.meaning(of: $0)) }
        let isDenied = rule.deny.contains { !wanted.isDisjoint(with: Self.meaning(of: $0)) }
        return isAllowed && !isDenied
    }

    /// Whether `g` may use the right for the principal, and the principal has it.
    func allowsActing(for principal: String, _ right: AccessPolicy.Right, on target: String) -> Bool {
        mayAct(for: principal, with: right) && allows(principal, right, on: target)
    }

    private func mayAct(for principal: String, with right: AccessPolicy.Right) -> Bool {
        let isGuarded = [.admin, .mode].contains(right)
        func names(_ pattern: String, guarding: Bool) -> Bool {
            let tokens = pattern.split(separator: ".").map(String.init)
            guard tokens[0] == right.rawValue || (!(guarding && isGuarded) && ["*", ">"].contains(tokens[0])) else {
                return false
            }
            return tokens == [">"] || tokens.count == 2 && [principal, "*", ">"].contains(tokens[1])
        }
        return acting.allow.contains { names($0, guarding: true) }
            && !acting.deny.contains { names($0, guarding: false) }
    }

    /// The names that a pattern of these tests means, or a name.
    static func meaning(of pattern: String) -> Set<String> { meanings[pattern] ?? read(pattern) }

    private static let meanings: [String: Set<String>] = {
        let parts = tokens + ["*", ">"]
        let pairs = parts.flatMap { first in parts.map { "\(first).\($0)" } }
        let triples = pairs.flatMap { first in parts.map { "\(first).\($0)" } }
        return Dictionary(uniqueKeysWithValues: (parts + pairs + triples).map { ($0, read($0)) })
    }()

    private static func read(_ pattern: String) -> Set<String> {
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
            for right in AccessPolicy.Right.own where !generator.oneIn(4) {
                let allow = (0..<generator.below(3)).map { _ in pattern(&generator) }
                let deny = (0..<generator.below(2)).map { _ in pattern(&generator) }
                own[right] = (allow, deny)
            }
            rules[principal] = own
        }
        return AccessReference(rules: rules)
    }

    /// Rules as ``random(_:)``, with a principal `g` that acts for others.
    static func acting(_ generator: inout SeededGenerator) -> AccessReference {
        var reference = random(&generator)
        let firsts = AccessPolicy.Right.own.map(\.rawValue) + ["*", "*"]
        func pattern(_ generator: inout SeededGenerator) -> String {
            if generator.oneIn(8) { return ">" }
            return "\(firsts[generator.below(firsts.count)]).\(["p", "q", "r", "*", ">"][generator.below(5)])"
        }
        reference.acting.allow = (0..<1 + generator.below(6)).map { _ in pattern(&generator) }
        reference.acting.deny = (0..<generator.below(3)).map { _ in pattern(&generator) }
        return reference
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
        let acting = try AccessPolicy.Grant(
            allow: acting.allow.map { try NamePattern($0) },
            deny: acting.deny.map { try NamePattern($0) }
        )
        let agent = AccessPolicy.Member("g", keys: keys["g"] ?? [], grants: AccessPolicy.Grants([.actAs: acting]))
        return try AccessPolicy(members + [agent])
    }
}
