import ForgeBusProtocol
import Testing

@testable import ForgeBusWorker

@Suite("A right to a run")
struct OwnRunTests {
    private let shop = AccessPolicy.Principal("shop")

    private func policy(read: AccessPolicy.Grant? = nil, cancel: AccessPolicy.Grant? = nil) throws -> AccessPolicy {
        var grants = AccessPolicy.Grants()
        if let read { grants[.read] = read }
        if let cancel { grants[.cancel] = cancel }
        return try AccessPolicy([AccessPolicy.Member("shop", keys: [], grants: grants)])
    }

    private func known(_ owner: String, _ pipeline: Name = "deploy") -> AccessPolicy.KnownRun {
        AccessPolicy.KnownRun(owner: owner, pipeline: pipeline)
    }

    @Test("needs no grant where it is one's own", arguments: [AccessPolicy.Right.read, .cancel])
    func own(_ right: AccessPolicy.Right) throws {
        #expect(try policy().ruling(for: shop, right, on: "run-1", known: known("shop")) == .allowed)
        let denied = AccessPolicy.Grant(deny: [">"])
        let denying = try policy(read: denied, cancel: denied)
        #expect(denying.ruling(for: shop, right, on: "run-1", known: known("shop")) == .allowed)
    }

    @Test(
        "without the grant is refused alike for a run of another and for one that is not there",
        arguments: [AccessPolicy.Right.read, .cancel]
    )
    func noOracle(_ right: AccessPolicy.Right) throws {
        let elsewhere = try policy(read: .init(allow: ["run.feed.>"]), cancel: .init(allow: ["feed"]))
        let partly = try policy(
            read: .init(allow: [">"], deny: ["run.deploy.>"]),
            cancel: .init(allow: [">"], deny: ["deploy"])
        )
        for policy in try [self.policy(), elsewhere, partly] {
            let absent = policy.ruling(for: shop, right, on: "run-1", known: nil)
            #expect(absent == policy.ruling(for: shop, right, on: "run-1", known: known("bank")))
            #expect(absent.missingGrant == "\(right.rawValue) on run-1")
        }
    }

    @Test("goes by the run's pipeline")
    func byPipeline() throws {
        let policy = try policy(read: .init(allow: ["run.deploy.>"]), cancel: .init(allow: ["deploy"]))
        for right in [AccessPolicy.Right.read, .cancel] {
            #expect(policy.ruling(for: shop, right, on: "run-1", known: known("bank")) == .allowed)
            #expect(policy.ruling(for: shop, right, on: "run-1", known: known("bank", "feed")) != .allowed)
        }
    }

    @Test("tells whoever has it on every run, and whoever has no key, that a run is not there")
    func everything() throws {
        let all = AccessPolicy.Grant(allow: [">"])
        let policy = try policy(read: all, cancel: all)
        for right in [AccessPolicy.Right.read, .cancel] {
            #expect(policy.ruling(for: shop, right, on: "run-1", known: nil) == .allowed)
            let local = AccessPolicy.Principal.local(source: nil)
            #expect(AccessPolicy.local.ruling(for: local, right, on: "run-1", known: nil) == .allowed)
            #expect(AccessPolicy.local.ruling(for: local, right, on: "run-1", known: known("local")) == .allowed)
        }
    }
}
