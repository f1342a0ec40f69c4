import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import Scorecard
import TestSupport
import Testing
import ZeroMQ

@Suite("One publisher that many workers with keys connect to", .timeLimit(.minutes(30)))
struct PublisherFleetTests {
    private let control = KeyPair()
    private let operations = KeyPair()

    /// A worker that connects to the publisher.
    private struct Member {
        let serving: Serving
        let cycles: Cycles
        let client: BusClient
    }

    /// Runs a test with the workers of these keys, which all connect to `endpoint`.
    private func serving(
        _ keys: ArraySlice<KeyPair>,
        connectedTo endpoint: Endpoint,
        _ members: [Member] = [],
        _ body: ([Member]) async throws -> Void
    ) async throws {
        guard let own = keys.first else { return try await body(members) }
        let cycles = Cycles("m", "t", "last.>", "quiet")
        let policy = try AccessPolicy([
            .init("control", keys: [control.publicKey], grants: .init([.notify: .init(allow: ["t", "last.>"])])),
            .init("operations", keys: [operations.publicKey], grants: .init([.notify: .init(allow: [">"])])),
        ])
        try await ForgeBusWorkerTests.serving(
            monitors: [cycles.monitor],
            keepsRecords: false,
            awaitingReady: false,
            configure: { [control] in
                $0.access = .keyed(own, policy)
                $0.publishers = [KnownPublisher(at: endpoint, as: "control", key: control.publicKey)]
            }
        ) { serving in
            let client = try await serving.client(as: CurveClient(keys: operations, server: own.publicKey))
            let member = Member(serving: serving, cycles: cycles, client: client)
            try await self.serving(keys.dropFirst(), connectedTo: endpoint, members + [member], body)
        }
    }

    private func publisher(at endpoint: Endpoint, admitting keys: [KeyPair]) async throws -> BusPublisher {
        let allowed = AllowedKeys(Set(keys.map(\.publicKey)))
        return try await BusPublisher(bind: [endpoint], as: control, admitting: allowed, logger: .silent)
    }

    @Test("of a thousand changes: each worker's last cycle begins after the last, and nothing is lost")
    func thousand() async throws {
        let keys = (0..<Scorecard.trials(20, full: 200)).map { _ in KeyPair() }
        let publisher = try await publisher(at: Endpoint("tcp://127.0.0.1:*"), admitting: keys)
        try await serving(keys[...], connectedTo: #require(publisher.endpoints.first)) { members in
            try await publisher.awaitFollowers(of: "t", atLeast: keys.count, within: .seconds(600))
            for _ in 1..<1_000 { try publisher.publish("t") }
            try publisher.publish("last.1")
            for member in members {
                await member.cycles.told(ofAny: "last.1 × 1")
                let counted = member.cycles.record.values.joined().filter { $0.hasPrefix("t × ") }
                #expect(counted.reduce(0) { $0 + (Int($1.dropFirst("t × ".count)) ?? 0) } == 999)
                #expect(try await member.serving.worker.counters[.publicationGaps] == 0)
            }
            #expect(try await publisher.followers(of: "t") == keys.count)
            #expect(publisher.dropped == 0)
        }
        await publisher.close()
    }

    @Test("and that begins again ten times: each time every worker evaluates by itself, and hears what is published")
    func restarts() async throws {
        let keys = (0..<5).map { _ in KeyPair() }
        var publisher = try await publisher(at: Endpoint("tcp://127.0.0.1:*"), admitting: keys)
        let endpoint = try #require(publisher.endpoints.first)
        try await serving(keys[...], connectedTo: endpoint) { members in
            for life in 1...10 {
                try await publisher.awaitFollowers(of: "t", atLeast: keys.count, within: .seconds(600))
                try publisher.publish(Topic(Name("last.\(life)")))
                for member in members { await member.cycles.told(ofAny: "last.\(life) × 1") }
                await publisher.close()
                // What each worker is owed by now is done with.
                for member in members { _ = try await member.client.notifyAndWait("quiet") }
                let before = members.map(\.cycles.record.count)
                publisher = try await self.publisher(at: endpoint, admitting: keys)
                for (member, count) in zip(members, before) { await member.cycles.record.reach(count + 1) }
            }
            for member in members {
                // The worker may hear that the publisher knows its subscriptions before it hears of the connection.
                var counters = try await member.serving.worker.counters
                while counters[.publicationReconnects] < 10 { counters = try await member.serving.worker.counters }
                #expect(counters[.publicationReconnects] == 10)
                #expect(counters[.publisherLives] == 10)
            }
        }
        await publisher.close()
    }
}

extension Cycles {
    /// Waits until a cycle is told of `cause`, perhaps beside others.
    fileprivate func told(ofAny cause: String) async {
        var count = 1
        while await !record.reach(count).contains(where: { $0.contains(cause) }) { count = record.count + 1 }
    }
}
