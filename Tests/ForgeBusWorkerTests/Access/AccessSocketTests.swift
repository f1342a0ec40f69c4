import ForgeBusClient
import ForgeBusProtocol
import ForgeOrchestrator
import Scorecard
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusWorker

@Suite("A worker with keys", .scorecard(15), .timeLimit(.minutes(30)))
struct AccessSocketTests {
    private let server = KeyPair()
    private let first = KeyPair()
    private let second = KeyPair()
    private let stranger = KeyPair()
    private let runs = Record<String>()
    private let audit = Record<AuditRecord>()

    private func policy(_ keys: [KeyPair], run: [NamePattern] = ["p"]) throws -> AccessPolicy {
        let grants = AccessPolicy.Grants([.run: .init(allow: run), .complete: .init(allow: ["p.>"])])
        return try AccessPolicy([.init("shop", keys: keys.map(\.publicKey), grants: grants)])
    }

    private func identity(_ pair: KeyPair, server other: PublicKey? = nil) -> CurveClient {
        CurveClient(keys: pair, server: other ?? server.publicKey)
    }

    private func withWorker(
        _ policy: AccessPolicy,
        configure: (inout WorkerConfiguration) -> Void = { _ in },
        _ body: (Serving) async throws -> Void
    ) async throws {
        let work = Stage("work") { [runs] _ in
            runs.add("run")
            return .completed
        }
        try await serving(
            pipelines: [HostedPipeline("p", pipeline(work)), HostedPipeline("q", pipeline(work))],
            awaitingReady: false,
            configure: { [server, audit] in
                $0.access = .keyed(server, policy)
                $0.audit = { audit.add($0) }
                configure(&$0)
            },
            body
        )
    }

    /// Sends a run and gives up after a while.
    private func unanswered(_ identity: CurveClient?, at serving: Serving) async throws {
        let client = try await serving.client(as: identity, patience: .seconds(8))
        let error = try await failure { _ = try await client.run("p") }
        #expect(error?.code == .unreachable)
    }

    /// Sends a run, and is told that its key is not let in.
    private func turnedAway(_ pair: KeyPair, at serving: Serving) async throws {
        let client = try await serving.client(as: identity(pair), patience: .seconds(60))
        let error = try await failure { _ = try await client.run("p") }
        #expect(error?.code == .forbidden)
        #expect(error?.message.contains("\(pair.publicKey)") == true)
    }

    @Test("does what a principal may, and says what it may not")
    func allowed() async throws {
        try await withWorker(policy([first, second])) { serving in
            for pair in [first, second] {
                let client = try await serving.client(as: identity(pair), source: "somebody else")
                #expect(try await client.run("p").state == .completed)
                let error = try await failure { _ = try await client.run("q") }
                #expect(error?.code == .forbidden)
                #expect(error?.details["grant"] == "run on q")
            }
            #expect(runs.count == 2)
            #expect(try await serving.worker.counters[.forbidden] == 2)
            #expect(audit.values.map(\.event) == [.refused(grant: "run on q"), .refused(grant: "run on q")])
        }
    }

    @Test(
        "hears nothing from an unknown key, which learns it, from one without encryption, nor from who expects another worker"
    )
    func refused() async throws {
        try await withWorker(policy([first])) { serving in
            try await turnedAway(stranger, at: serving)
            try await unanswered(nil, at: serving)
            try await unanswered(identity(first, server: stranger.publicKey), at: serving)
            let counters = try await serving.worker.counters
            #expect(counters[.received] == 0 && counters[.answered] == 0)
            #expect(counters[.keysRefused] > 0)
            #expect(runs.count == 0)
            // Each key once, however often it knocks.
            // The client may hear of it before the worker has written it down.
            #expect(await audit.reach(1).map(\.event) == [.keyRefused(key: "\(stranger.publicKey)")])
        }
    }

    @Test("lets no more of an address in a minute than it may, and those that are in go on", .scorecard(11))
    func crowd() async throws {
        try await withWorker(policy([first]), configure: { $0.limits.connectionsPerMinute = 1 }) { serving in
            let inside = try await serving.client(as: identity(first))
            #expect(try await inside.run("p").state == .completed)
            try await unanswered(identity(first), at: serving)
            let counters = try await serving.worker.counters
            #expect(counters[.connectionsPostponed] > 0 && counters[.keysRefused] == 0)
            #expect(try await inside.run("p").state == .completed)
            #expect(runs.count == 2 && audit.values.isEmpty)
        }
    }

    @Test("looks at nothing more from a key that was removed, on the connection that is up, and says the same to all")
    func removed() async throws {
        try await withWorker(policy([first, second])) { serving in
            let revoked = try await RawDealer(serving.endpoint, as: identity(first))
            let kept = try await serving.client(as: identity(second))
            try await revoked.send("FORGE/1 RUN", "a", "p", "", "")
            _ = try await revoked.answers(2)
            try await serving.worker.replaceAccess(with: policy([second]), by: "test")
            for (id, subject) in [("b", "p"), ("c", "q"), ("d", "unknown")] {
                try await revoked.send("FORGE/1 RUN", id, subject, "", "")
            }
            try await revoked.send("FORGE/1 PING", "e", "", "", "")
            try await revoked.send("FORGE/1 NONSENSE", "f", "", "{", "")
            let answers = await revoked.received.reach(7).dropFirst(2)
            #expect(answers.map { $0[1] } == ["b", "c", "d", "e", "f"])
            // Apart from the id that comes back, byte for byte.
            #expect(Set(answers.map { [$0[0]] + $0[2...] }).count == 1)
            #expect(answers.first?[3].contains("forbidden") == true, "\(answers)")
            #expect(runs.count == 1)
            #expect(try await kept.run("p").state == .completed)
            let counters = try await serving.worker.counters
            #expect(counters[.unknownKeys] == 5 && counters[.malformed] == 0 && counters[.accessReplaced] == 1)
            // What is no message of the bus is told so once, or two that answer each other would never end.
            for frame in ["x", "y"] { try await revoked.send(frame) }
            try await revoked.send("FORGE/1 PING", "g", "", "", "")
            #expect(await revoked.received.reach(9).suffix(2).map { $0[1] } == ["", "g"])
            try await turnedAway(first, at: serving)
            // The replaced policy, and the two below.
            let told = await audit.reach(3).map(\.event)
            #expect(told.count { $0 == .keyUnknown(key: "\(first.publicKey)") } == 1)
            #expect(told.count { $0 == .keyRefused(key: "\(first.publicKey)") } == 1)
            await revoked.close()
        }
    }

    @Test("goes by the new policy from the next message on, for rights and for keys that were added")
    func replaced() async throws {
        try await withWorker(policy([first])) { serving in
            let client = try await serving.client(as: identity(first))
            #expect(try await code { _ = try await client.run("q") } == .forbidden)
            try await serving.worker.replaceAccess(with: policy([first, second], run: ["q"]), by: "test")
            #expect(try await client.run("q").state == .completed)
            #expect(try await code { _ = try await client.run("p") } == .forbidden)
            #expect(try await serving.client(as: identity(second)).run("q").state == .completed)
        }
    }

    @Test("lets the same client in once its key is known")
    func added() async throws {
        try await withWorker(policy([first])) { serving in
            let client = try await serving.client(as: identity(second), patience: .seconds(60))
            // Twice: the connection that was refused is not tried again by itself.
            for _ in 0..<2 { #expect(try await code { _ = try await client.run("p") } == .forbidden) }
            try await serving.worker.replaceAccess(with: policy([first, second]), by: "test")
            #expect(try await client.run("p").state == .completed)
        }
    }

    @Test("lets nobody in without encryption whom its policy would know by name")
    func noWayBack() async throws {
        try await withWorker(policy([first])) { serving in
            await #expect(throws: WorkerError.self) {
                try await serving.worker.replaceAccess(with: .local, by: "test")
            }
            let client = try await serving.client(as: identity(first))
            #expect(try await client.run("p").state == .completed)
        }
    }

    @Test("may listen where other machines reach it, and refuses to where keys are in the wrong place")
    func validation() throws {
        var configuration = WorkerConfiguration(endpoints: [try Endpoint("tcp://*:7717")])
        func error() -> WorkerError? {
            do throws(WorkerError) {
                _ = try BusWorker(configuration, logger: .silent)
                return nil
            } catch {
                return error
            }
        }
        #expect(error()?.code == .openDoor)
        configuration.access = .keyed(server, try policy([first]))
        #expect(error() == nil)
        configuration.access = .keyed(server, .local)
        #expect(error()?.code == .definition)
        // Half of all secret keys cannot be public ones; the rest is found by the pair.
        let secret = try PublicKey(server.secretKey.text)
        configuration.access = .keyed(server, try AccessPolicy([.init("shop", keys: [secret])]))
        #expect(error() == Errors.listedSecretKey(of: "shop"))
    }

    @Test("serves all interfaces with its keys, once a stranger was refused there")
    func allInterfaces() async throws {
        try await serving(
            pipelines: [HostedPipeline("p", pipeline(Stage("work")))],
            awaitingReady: false,
            configure: {
                $0.endpoints = (try? [Endpoint("tcp://0.0.0.0:*")]) ?? []
                $0.access = (try? policy([first])).map { .keyed(server, $0) } ?? .local
            }
        ) { serving in
            let port = serving.endpoint.text.split(separator: ":").last ?? ""
            let endpoint = try Endpoint("tcp://127.0.0.1:\(port)")
            let client = BusClient(endpoint, as: identity(first), logger: .silent)
            #expect(try await client.run("p").state == .completed)
            await client.close()
        }
    }
}
