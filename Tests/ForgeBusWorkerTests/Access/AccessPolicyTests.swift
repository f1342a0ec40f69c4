import ForgeBusProtocol
import Scorecard
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusWorker

@Suite("An access policy")
struct AccessPolicyTests {
    private let shop = AccessPolicy.Principal("shop")

    private func policy(_ grants: [AccessPolicy.Right: AccessPolicy.Grant], keys: [PublicKey] = []) throws
        -> AccessPolicy
    {
        try AccessPolicy([AccessPolicy.Member("shop", keys: keys, grants: AccessPolicy.Grants(grants))])
    }

    @Test("says of every right, name and pattern what a reference says that writes every name out", .scorecard(16))
    func reference() throws {
        var generator = SeededGenerator(seed: 15)
        var (comparisons, allowed) = (0, 0)
        for _ in 0..<400 {
            let reference = AccessReference.random(&generator)
            let policy = try reference.policy()
            for principal in ["p", "q", "r", "nobody"] {
                for right in AccessPolicy.Right.own {
                    let (name, pattern) = (AccessReference.name(&generator), AccessReference.pattern(&generator))
                    for target in try [
                        (name, AccessPolicy.Target.name(Name(name))),
                        (pattern, AccessPolicy.Target.every(NamePattern(pattern))),
                    ] {
                        let ruling = policy.ruling(for: AccessPolicy.Principal(principal), right, on: target.1)
                        let expected = reference.allows(principal, right, on: target.0)
                        #expect(
                            (ruling == .allowed) == expected,
                            "\(principal) \(right) \(target.0) \(reference.rules[principal] ?? [:])"
                        )
                        comparisons += 1
                        if expected { allowed += 1 }
                    }
                }
            }
        }
        // Enough of both answers for a wrong one to show.
        Scorecard.count(comparisons)
        #expect(comparisons == 22_400)
        #expect(allowed > 1_000)
    }

    @Test("tells which of two patterns covers and overlaps the other as their names do", .scorecard(16))
    func scope() throws {
        var generator = SeededGenerator(seed: 16)
        Scorecard.count(4_000)
        for _ in 0..<4_000 {
            let (a, b) = (AccessReference.pattern(&generator), AccessReference.pattern(&generator))
            let (left, right) = (AccessReference.meaning(of: a), AccessReference.meaning(of: b))
            #expect(try NamePattern(a).covers(b) == right.isSubset(of: left), "\(a) covers \(b)")
            #expect(try NamePattern(a).overlaps(b) == !left.isDisjoint(with: right), "\(a) overlaps \(b)")
        }
    }

    @Test("grants nothing that is not written down, and names what is missing")
    func denyByDefault() throws {
        let empty = try policy([:])
        for right in AccessPolicy.Right.allCases {
            let ruling = empty.ruling(for: shop, right, on: .name("stock.changed"))
            #expect(ruling.missingGrant == "\(right.rawValue) on stock.changed")
        }
        #expect(empty.ruling(for: shop, .notify, on: .every(">")).missingGrant == "notify on >")
    }

    @Test("lets a denial win over every grant, also one from a merged set")
    func denyWins() throws {
        var grants = AccessPolicy.Grants([.complete: AccessPolicy.Grant(allow: ["deploy.>"])])
        grants.merge(AccessPolicy.Grants([.complete: AccessPolicy.Grant(allow: [">"], deny: ["deploy.prod.*"])]))
        let policy = try AccessPolicy([AccessPolicy.Member("shop", keys: [], grants: grants)])
        #expect(policy.ruling(for: shop, .complete, on: .name("deploy.test.approve")) == .allowed)
        #expect(policy.ruling(for: shop, .complete, on: .name("other")) == .allowed)
        #expect(policy.ruling(for: shop, .complete, on: .name("deploy.prod.approve")) != .allowed)
        #expect(policy.ruling(for: shop, .complete, on: .every("deploy.*.approve")) != .allowed)
    }

    @Test("knows several keys as one principal, and a key that is not in it as nobody")
    func keys() throws {
        let (first, second) = (KeyPair().publicKey, KeyPair().publicKey)
        let both = try policy([:], keys: [first, second])
        #expect(both.principal(forKey: first) == shop)
        #expect(both.principal(forKey: second) == shop)
        #expect(both.principal(forKey: KeyPair().publicKey) == nil)
        #expect(both.keys == [first, second])
        #expect(try policy([:], keys: [second]).principal(forKey: first) == nil)
    }

    @Test("refuses a key or a name that is given twice, and the name of those without a key")
    func refused() throws {
        let key = KeyPair().publicKey
        func error(_ members: AccessPolicy.Member...) -> WorkerError? {
            #expect(throws: WorkerError.self) { try AccessPolicy(members) }
        }
        let twice = error(.init("a", keys: [key]), .init("b", keys: [key]))
        #expect(twice?.code == .definition && twice?.message.contains("\(key)") == true)
        #expect(error(.init("a", keys: []), .init("a", keys: []))?.code == .definition)
        #expect(error(.init("local", keys: []))?.code == .definition)
    }

    @Test("without keys lets everybody notify, run, complete and read, and nothing else")
    func local() {
        let local = AccessPolicy.Principal.local(source: "shop")
        for right in AccessPolicy.Right.allCases {
            let isAllowed = AccessPolicy.local.ruling(for: local, right, on: .every(">")) == .allowed
            #expect(isAllowed == [.notify, .run, .complete, .read].contains(right))
        }
        #expect(!AccessPolicy.local.isKeyed)
    }

    @Test("keeps ids of labels apart without keys, and those of principals with them")
    func ledgerNames() {
        #expect(AccessPolicy.Principal.local(source: nil).ledgerName == "local")
        #expect(AccessPolicy.Principal.local(source: "shop").ledgerName == "local/shop")
        #expect(shop.ledgerName == "shop")
    }

    @Test("has the same digest for the same grants in any order, and another for any other")
    func digest() throws {
        let key = KeyPair().publicKey
        let notify = AccessPolicy.Grant(allow: ["a", "b"], deny: ["c"])
        let base = try policy([.notify: notify, .run: AccessPolicy.Grant(allow: ["d"])], keys: [key])
        let turned = AccessPolicy.Grant(allow: ["b", "a"], deny: ["c"])
        #expect(
            try policy([.run: AccessPolicy.Grant(allow: ["d"]), .notify: turned], keys: [key]).digest == base.digest
        )
        let others = try [
            policy([.notify: notify, .run: AccessPolicy.Grant(allow: ["d"])]),
            policy([.notify: notify], keys: [key]),
            policy([.notify: AccessPolicy.Grant(allow: ["a", "b", "c"])], keys: [key]), policy([:]), .local,
            AccessPolicy([]),
        ]
        #expect(Set(others.map(\.digest) + [base.digest]).count == 7)
        #expect(base.digest.count == 16)
    }
}
