import ForgeBusClient
import ForgeBusProtocol
import ForgeOrchestrator
import Logging
import Scorecard
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusWorker

@Suite("A worker with a new key and its previous one", .scorecard(15), .timeLimit(.minutes(30)))
struct PreviousKeyTests {
    private let old = KeyPair()
    private let new = KeyPair()
    private let shop = KeyPair()
    private let stranger = KeyPair()
    private let audit = Record<AuditRecord>()

    private func policy(_ keys: [KeyPair]) throws -> AccessPolicy {
        let grants = AccessPolicy.Grants([.run: .init(allow: ["p"]), .notify: .init(allow: ["t"])])
        return try AccessPolicy([.init("shop", keys: keys.map(\.publicKey), grants: grants)])
    }

    private func withWorker(
        monitors: [HostedMonitor] = [],
        publications: [Endpoint] = [],
        _ body: (Serving, _ previous: Endpoint) async throws -> Void
    ) async throws {
        let policy = try policy([shop])
        var previous = PreviousKey(old, endpoints: [try Endpoint("tcp://127.0.0.1:*")])
        previous.publicationEndpoints = publications
        try await serving(
            pipelines: ["p", "q"].map { HostedPipeline($0, pipeline(Stage("work"))) },
            monitors: monitors,
            awaitingReady: false,
            configure: { [new, audit, previous] in
                $0.access = .keyed(new, policy)
                $0.previous = previous
                $0.audit = { audit.add($0) }
            }
        ) { serving in
            let endpoint = try #require(try await serving.worker.previousEndpoints.first)
            try #require(endpoint != serving.endpoint)
            try await body(serving, endpoint)
        }
    }

    /// Runs a test with a client that expects `server` at the endpoint.
    private func client(
        _ keys: KeyPair,
        at endpoint: Endpoint,
        expecting server: KeyPair,
        patience: Duration = .seconds(300),
        _ body: (BusClient) async throws -> Void
    ) async throws {
        try await withBusClient(
            endpoint,
            as: CurveClient(keys: keys, server: server.publicKey),
            patience: patience,
            resendsAfter: nil,
            logger: .silent
        ) { client async throws in try await body(client) }
    }

    @Test("serves both at the same time, with the same rights, and counts who still uses the previous one")
    func both() async throws {
        try await withWorker { serving, previous in
            for (endpoint, key) in [(previous, old), (serving.endpoint, new)] {
                try await client(shop, at: endpoint, expecting: key) { client async throws in
                    #expect(try await client.run("p").state == .completed)
                    #expect(try await code { _ = try await client.run("q") } == .forbidden)
                }
                try await client(stranger, at: endpoint, expecting: key) { client async throws in
                    let error = try await failure { _ = try await client.run("p") }
                    #expect(error?.code == .forbidden && error?.message.contains("\(stranger.publicKey)") == true)
                }
            }
            #expect(try await serving.worker.counters[.previousKeyUses] == 1)
        }
    }

    @Test("gives the previous key's endpoints no other key, and its own endpoints no previous one")
    func apart() async throws {
        try await withWorker { serving, previous in
            for (endpoint, key) in [(previous, new), (serving.endpoint, old)] {
                try await client(shop, at: endpoint, expecting: key, patience: .seconds(8)) { client async throws in
                    let error = try await failure { _ = try await client.run("p") }
                    #expect(error?.code == .unreachable)
                }
            }
        }
    }

    @Test("takes a right away from a sender with the previous key, too")
    func revoked() async throws {
        try await withWorker { serving, previous in
            try await client(shop, at: previous, expecting: old) { client async throws in
                #expect(try await client.run("p").state == .completed)
                try await serving.worker.replaceAccess(with: policy([stranger]), by: "test")
                #expect(try await code { _ = try await client.run("p") } == .forbidden)
            }
            try await client(stranger, at: previous, expecting: old) { client async throws in
                #expect(try await client.run("p").state == .completed)
            }
        }
    }

    @Test("hears publishers that know only the previous key")
    func publishers() async throws {
        let cycles = Cycles("m", "t")
        let place = try Endpoint("tcp://127.0.0.1:*")
        try await withWorker(monitors: [cycles.monitor], publications: [place]) { serving, _ in
            #expect(try await serving.worker.publicationEndpoints.isEmpty)
            let endpoint = try #require(try await serving.worker.previousPublicationEndpoints.first)
            let identity = CurveClient(keys: shop, server: old.publicKey)
            let publisher = try await BusPublisher(connect: [endpoint], as: identity, logger: .silent)
            try await publisher.awaitFollowers(of: "t", within: .seconds(30))
            try publisher.publish("t")
            await cycles.told(of: "t × 1")
            await publisher.close()
        }
    }

    @Test("is refused without a key, with the same key twice, and with an endpoint that has both or none")
    func validation() throws {
        let place = try Endpoint("tcp://*:7717")
        var configuration = WorkerConfiguration(endpoints: [try Endpoint("ipc:///tmp/worker.ipc")])
        func error() -> WorkerError? {
            do throws(WorkerError) {
                _ = try BusWorker(configuration, logger: .silent)
                return nil
            } catch {
                return error
            }
        }
        configuration.previous = PreviousKey(old, endpoints: [place])
        #expect(error() == Errors.previousWithoutCurrent)
        configuration.access = .keyed(new, try policy([shop]))
        #expect(error() == nil)
        configuration.endpoints.append(try Endpoint("tcp://10.0.0.1:7717"))
        configuration.previous?.endpoints = [try Endpoint("tcp://10.0.0.1:7717")]
        #expect(error() == Errors.endpointOfBothKeys("tcp://10.0.0.1:7717"))
        configuration.previous?.endpoints = []
        #expect(error() == Errors.previousWithoutEndpoint)
        configuration.previous = PreviousKey(new, endpoints: [place])
        #expect(error() == Errors.previousIsCurrent)
        configuration.previous = PreviousKey(old, endpoints: [place])
        // Half of all secret keys cannot be public ones; this one can be listed, as by a mistake.
        let secret = try PublicKey(old.secretKey.text)
        configuration.access = .keyed(new, try AccessPolicy([.init("shop", keys: [secret])]))
        #expect(error() == Errors.listedPreviousKey(of: "shop"))
    }
}
