import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import Logging
import TestSupport
import Testing
import ZeroMQ

@Suite("A publisher that a worker with keys connects to", .timeLimit(.minutes(30)))
struct KnownPublisherTests {
    private let own = KeyPair()
    private let control = KeyPair()
    private let operations = KeyPair()
    private let audit = Record<AuditRecord>()
    /// The levels of what was logged about the publisher.
    private let told = Record<String>()

    /// The policy of a worker that lets `control` publish on `t`, with these keys.
    private func policy(_ keys: [PublicKey]) throws -> AccessPolicy {
        try AccessPolicy([
            .init("control", keys: keys, grants: .init([.notify: .init(allow: ["t", "end"])])),
            .init("operations", keys: [operations.publicKey], grants: .init([.notify: .init(allow: [">"])])),
        ])
    }

    private func publisher(
        _ keys: KeyPair? = nil,
        at endpoint: Endpoint? = nil,
        admitting: AllowedKeys? = nil
    ) async throws -> BusPublisher {
        try await BusPublisher(
            bind: [endpoint ?? Endpoint("tcp://127.0.0.1:*")],
            as: keys ?? control,
            admitting: admitting ?? AllowedKeys([own.publicKey]),
            logger: .silent
        )
    }

    /// Runs a test with a worker that connects to `endpoint`, pinned to the key of `control`.
    private func connected(
        to endpoint: Endpoint,
        _ cycles: [Cycles],
        _ body: (Serving, BusClient) async throws -> Void
    ) async throws {
        let policy = try policy([control.publicKey])
        try await serving(
            monitors: cycles.map(\.monitor),
            awaitingReady: false,
            configure: { [own, control, audit] in
                $0.audit = { audit.add($0) }
                $0.access = .keyed(own, policy)
                $0.publishers = [KnownPublisher(at: endpoint, as: "control", key: control.publicKey)]
            },
            logger: told.logger { event in event.metadata?["publisher_key"].map { _ in "\(event.level)" } }
        ) { serving in
            let identity = CurveClient(keys: operations, server: own.publicKey)
            try await body(serving, serving.client(as: identity))
        }
    }

    @Test("counts as its principal: a topic of its rights causes a cycle, and any other is counted and audited")
    func rights() async throws {
        let (follower, other) = (Cycles("follower", "t"), Cycles("other", "u"))
        let publisher = try await publisher()
        try await connected(to: #require(publisher.endpoints.first), [follower, other]) { serving, _ in
            try await publisher.awaitFollowers(of: "u", within: .seconds(60))
            try publisher.publish("u")
            try publisher.publish("t")
            await follower.told(of: "t × 1")
            #expect(other.caused.isEmpty)
            let counters = try await serving.worker.counters
            #expect(counters.publicationsRefused == [.forbidden: 1])
            #expect(counters[.forbidden] == 1)
            #expect(counters[.publicationGaps] == 0 && counters[.publisherLives] == 1)
            #expect(audit.values.map(\.principal) == ["control"])
            #expect(audit.values.map(\.event) == [.refused(grant: "notify on u")])
        }
        await publisher.close()
    }

    @Test("with another key than the pinned one causes nothing, and is logged once and counted, until it has the key")
    func otherKey() async throws {
        let cycles = Cycles("m", "t")
        let impostor = try await publisher(KeyPair())
        let endpoint = try #require(impostor.endpoints.first)
        try await connected(to: endpoint, [cycles]) { serving, client in
            while try await serving.worker.counters[.publisherHandshakesFailed] < 3 { try Task.checkCancellation() }
            #expect(try await code { try await impostor.awaitFollowers(of: "t", within: .zero) } == .timeout)
            try impostor.publish("t")
            _ = try await client.notifyAndWait("t")
            #expect(cycles.caused == [["t × 1"]], "what was sent, not what was published")
            #expect(try await serving.worker.counters[.publications] == 0)
            #expect(told.values == ["warning"])
            await impostor.close()
            let publisher = try await publisher(at: endpoint)
            try await publisher.awaitFollowers(of: "t", within: .seconds(60))
            try publisher.publish("t")
            while try await serving.worker.counters[.publications] < 1 { try Task.checkCancellation() }
            #expect(told.values == ["warning", "notice"])
            await publisher.close()
        }
    }

    @Test("that does not let the worker's key in is tried again, and heard when it does")
    func notAdmitted() async throws {
        let cycles = Cycles("m", "t")
        let admitted = AllowedKeys([KeyPair().publicKey])
        let publisher = try await publisher(admitting: admitted)
        try await connected(to: #require(publisher.endpoints.first), [cycles]) { serving, _ in
            while try await serving.worker.counters[.publisherHandshakesFailed] < 3 { try Task.checkCancellation() }
            #expect(told.values == ["warning"])
            admitted.insert(own.publicKey)
            try await publisher.awaitFollowers(of: "t", within: .seconds(60))
            try publisher.publish("t")
            await cycles.told(of: "t × 1")
        }
        await publisher.close()
    }

    @Test("without keys, or that is no publisher, is tried again, and heard when it has the key")
    func noKeys() async throws {
        let cycles = Cycles("m", "t")
        let plain = try await BusPublisher(bind: [Endpoint("tcp://127.0.0.1:*")], logger: .silent)
        let endpoint = try #require(plain.endpoints.first)
        try await connected(to: endpoint, [cycles]) { serving, _ in
            while try await serving.worker.counters[.publisherHandshakesFailed] < 3 { try Task.checkCancellation() }
            await plain.close()
            let publisher = try await publisher(at: endpoint)
            try await publisher.awaitFollowers(of: "t", within: .seconds(60))
            try publisher.publish("t")
            await cycles.told(of: "t × 1")
            await publisher.close()
        }
    }

    @Test("whose key a new policy no longer has is dropped, and heard again when a later one has it, each told once")
    func reload() async throws {
        let (follower, other) = (Cycles("follower", "t", "end"), Cycles("other", "u"))
        let publisher = try await publisher()
        try await connected(to: #require(publisher.endpoints.first), [follower, other]) { serving, client in
            try await publisher.awaitFollowers(of: "t", within: .seconds(60))
            try publisher.publish("t")
            await follower.told(of: "t × 1")
            try await serving.worker.replaceAccess(with: policy([KeyPair().publicKey]), by: "test")
            for _ in 0..<3 { try publisher.publish("t") }
            while try await serving.worker.counters.publicationsRefused[.forbidden] != 3 {
                try Task.checkCancellation()
            }
            #expect(follower.caused == [["t × 1"]])
            // What it is owed by now is done with.
            _ = try await client.notifyAndWait("u")
            let before = other.record.count
            try await serving.worker.replaceAccess(with: policy([KeyPair().publicKey, control.publicKey]), by: "test")
            await other.record.reach(before + 1)
            #expect(other.record.values.last == [], "what was dropped may have been about anything")
            try publisher.publish("end")
            await follower.told(of: "end × 1")
            #expect(told.values == ["warning", "notice"])
        }
        await publisher.close()
    }

    @Test("that moved to another principal is not heard as the old one")
    func moved() async throws {
        let cycles = Cycles("m", ">")
        let publisher = try await publisher()
        try await connected(to: #require(publisher.endpoints.first), [cycles]) { serving, _ in
            try await publisher.awaitFollowers(of: "t", within: .seconds(60))
            let moved = try AccessPolicy([
                .init("control", keys: []),
                .init("other", keys: [control.publicKey], grants: .init([.notify: .init(allow: [">"])])),
            ])
            try await serving.worker.replaceAccess(with: moved, by: "test")
            try publisher.publish("t")
            while try await serving.worker.counters.publicationsRefused[.forbidden] != 1 {
                try Task.checkCancellation()
            }
            #expect(cycles.caused.isEmpty)
        }
        await publisher.close()
    }

    @Test("must be known by a key of its principal where the worker has keys, and by its endpoint alone elsewhere")
    func flaws() throws {
        let endpoint = try Endpoint("tcp://10.0.0.1:7720")
        func code(_ access: WorkerAccess, _ publisher: KnownPublisher) throws -> WorkerError.Code? {
            var configuration = WorkerConfiguration(endpoints: [try Endpoint("tcp://127.0.0.1:*")])
            (configuration.access, configuration.publishers) = (access, [publisher])
            do throws(WorkerError) {
                _ = try BusWorker(configuration, logger: .silent)
                return nil
            } catch {
                return error.code
            }
        }
        let keyed = WorkerAccess.keyed(own, try policy([control.publicKey]))
        let key = control.publicKey
        #expect(try code(keyed, KnownPublisher(at: endpoint, as: "control", key: key)) == nil)
        #expect(try code(keyed, KnownPublisher(at: endpoint, as: "operations", key: key)) == .definition)
        #expect(try code(keyed, KnownPublisher(at: endpoint, as: "control", key: KeyPair().publicKey)) == .definition)
        #expect(try code(keyed, KnownPublisher(at: Endpoint("ipc:///tmp/p"))) == .definition)
        let vague = try Endpoint("tcp://10.0.0.1:*")
        #expect(try code(keyed, KnownPublisher(at: vague, as: "control", key: key)) == .definition)
        let local = try Endpoint("ipc:///tmp/p")
        #expect(try code(.local, KnownPublisher(at: local, as: "control", key: key)) == .definition)
        #expect(try code(.local, KnownPublisher(at: local)) == nil)
    }
}
