import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Logging
import Scorecard
import TestSupport
import Testing
import ZeroMQ

@Suite("What is published to a worker with keys", .timeLimit(.minutes(30)))
struct KeyedPublicationTests {
    private let server = KeyPair()
    private let shop = KeyPair()
    private let operations = KeyPair()
    private let audit = Record<AuditRecord>()

    private func identity(_ pair: KeyPair) -> CurveClient { CurveClient(keys: pair, server: server.publicKey) }

    /// Runs a test with a worker to which `shop` may publish on `t`, and `operations` may send on everything.
    private func servingPublishers(
        of cycles: [Cycles],
        _ body: (Serving, Endpoint, BusClient) async throws -> Void
    ) async throws {
        let policy = try AccessPolicy([
            .init("shop", keys: [shop.publicKey], grants: .init([.notify: .init(allow: ["t"])])),
            .init("operations", keys: [operations.publicKey], grants: .init([.notify: .init(allow: [">"])])),
        ])
        let endpoint = try Endpoint("tcp://127.0.0.1:*")
        try await serving(
            monitors: cycles.map(\.monitor),
            awaitingReady: false,
            configure: { [server, audit] in
                $0.publicationEndpoints = [endpoint]
                $0.access = .keyed(server, policy)
                $0.audit = { audit.add($0) }
            }
        ) { serving in
            guard let endpoint = try await serving.worker.publicationEndpoints.first else {
                throw Missing("an endpoint")
            }
            try await body(serving, endpoint, serving.client(as: identity(operations)))
        }
    }

    @Test("on a topic without a grant is counted and audited, and hides no loss before what is published with one")
    func refused() async throws {
        let (follower, other) = (Cycles("follower", "t"), Cycles("other", "u"))
        try await servingPublishers(of: [follower, other]) { serving, endpoint, client in
            let publisher = try await RawPublisher(connectingTo: endpoint, as: identity(shop), awaiting: "t")
            await publisher.publish("u", epoch: 9, 1)
            while try await serving.worker.counters[.publications] < 1 { try Task.checkCancellation() }
            // What it is owed by now is done with.
            _ = try await client.notifyAndWait("u")
            let lives = try await serving.worker.counters[.publisherLives]
            try #require(lives == 0, "what was refused is in no row")
            let before = other.record.count
            await publisher.publish("t", epoch: 9, 5)
            await follower.told(of: "t × 1")
            await other.record.reach(before + 1)
            #expect(other.caused == [["u × 1"]], "what was sent, not what was published")
            let counters = try await serving.worker.counters
            #expect(counters[.publisherLives] == 1)
            #expect(counters.publicationsRefused == [.forbidden: 1])
            #expect(counters[.forbidden] == 1)
            #expect(audit.values.map(\.principal) == ["shop"])
            #expect(audit.values.map(\.event) == [.refused(grant: "notify on u")])
            await publisher.close()
        }
    }

    @Test("by a publisher with keys causes a cycle where its principal has the grant, and elsewhere is only counted")
    func publisher() async throws {
        let (follower, other) = (Cycles("follower", "t"), Cycles("other", "u"))
        try await servingPublishers(of: [follower, other]) { serving, endpoint, _ in
            let publisher = try await BusPublisher(connect: [endpoint], as: identity(shop), logger: .silent)
            try await publisher.awaitFollowers(of: "u", within: .seconds(30))
            try publisher.publish("u")
            try publisher.publish("t")
            await follower.told(of: "t × 1")
            #expect(other.caused.isEmpty)
            let counters = try await serving.worker.counters
            #expect(counters.publicationsRefused == [.forbidden: 1])
            #expect(counters[.publicationGaps] == 0 && counters[.publisherLives] == 1)
            #expect(audit.values.map(\.event) == [.refused(grant: "notify on u")])
            await publisher.close()
        }
    }

    @Test(
        "by a publisher whose key stands for nobody, or without keys, does not come in, and the publisher logs it",
        .scorecard(15)
    )
    func stranger() async throws {
        let cycles = Cycles("m", ">")
        try await servingPublishers(of: [cycles]) { serving, endpoint, _ in
            for keys in [identity(KeyPair()), nil] {
                let log = Record<String>()
                let logger = log.logger { event in
                    let (endpoint, reason) = (event.metadata?["endpoint"], event.metadata?["reason"])
                    return "\(event.level) \(event.message) \(endpoint ?? "-") \(reason ?? "-")"
                }
                let publisher = try await BusPublisher(connect: [endpoint], as: keys, logger: logger)
                let told = await log.reach(1)
                #expect(told.first?.hasPrefix("warning a publisher's handshake failed \(endpoint) ") == true, "\(told)")
                #expect(keys == nil || told.first?.contains("400") == true, "\(told)")
                let error = try await code { try await publisher.awaitFollowers(of: "t", within: .zero) }
                #expect(error == .timeout)
                await publisher.close()
            }
            let counters = try await serving.worker.counters
            #expect(counters[.publications] == 0 && counters[.keysRefused] > 0)
        }
    }
}
