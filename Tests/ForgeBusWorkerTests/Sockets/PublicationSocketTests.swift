import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Scorecard
import TestSupport
import Testing
import ZeroMQ

@Suite("What is published to a worker", .timeLimit(.minutes(30)))
struct PublicationSocketTests {
    @Test("causes a cycle of each monitor that follows the topic, as a notification does, and of no other")
    func cycle() async throws {
        let (literal, wide) = (Cycles("literal", "a.b"), Cycles("wide", "a.*.c"))
        try await servingPublishers(of: [literal, wide]) { serving, endpoint in
            let publisher = try await BusPublisher(connect: [endpoint], source: "shop")
            try await publisher.awaitFollowers(of: "a.b", within: .seconds(30))
            for topic: Topic in ["a.bc", "a.b.c", "a.b.c.d", "b", "a.b"] { try publisher.publish(topic) }
            await literal.told(of: "a.b × 1")
            await wide.told(of: "a.b.c × 1")
            #expect(literal.caused == [["a.b × 1"]])
            #expect(wide.caused == [["a.b.c × 1"]])
            let counters = try await serving.worker.counters
            #expect(counters[.publications] == 4, "`b` begins like no subscription")
            #expect(counters.publicationsRefused.isEmpty)
            #expect(counters[.publisherLives] == 1)
            #expect(counters[.publicationGaps] == 0)
            await publisher.close()
        }
    }

    @Test("a hundred thousand times during a cycle causes exactly one more")
    func flood() async throws {
        let hold = Turnstile()
        let cycles = Cycles("m", "t", "end") { await hold.pass() }
        try await servingPublishers(of: [cycles]) { serving, endpoint in
            await cycles.record.reach(1)
            let publisher = try await RawPublisher(connectingTo: endpoint, awaiting: "t")
            await publisher.publish("t", times: 100_000)
            while try await serving.worker.counters[.publications] < 100_000 { try Task.checkCancellation() }
            hold.open()
            await cycles.told(of: "t × 100000")
            await publisher.publish("end", times: 1)
            await cycles.told(of: "end × 1")
            #expect(cycles.caused == [["t × 100000"], ["end × 1"]])
            await publisher.close()
        }
    }

    @Test("with a gap before it is counted, and owes every monitor a cycle; a duplicate and a late one do not")
    func gap() async throws {
        let (follower, other) = (Cycles("follower", "t"), Cycles("other", "u"))
        try await servingPublishers(of: [follower, other]) { serving, endpoint in
            let publisher = try await RawPublisher(connectingTo: endpoint, awaiting: "t")
            for sequence: UInt64 in [1, 2, 2, 5, 3] { await publisher.publish("t", epoch: 9, sequence) }
            while try await serving.worker.counters[.publications] < 5 { try Task.checkCancellation() }
            // What it is owed by now is done with.
            _ = try await serving.client().notifyAndWait("u")
            // Three, because one more cycle may be owed to the connection, a second after it was made.
            for sequence: UInt64 in [7, 9, 11] {
                let before = other.record.count
                await publisher.publish("t", epoch: 9, sequence)
                await other.record.reach(before + 1)
            }
            await publisher.publish("u", epoch: 9, 1)
            await other.told(of: "u × 1")
            let counters = try await serving.worker.counters
            #expect(counters[.publicationGaps] == 4)
            #expect(counters[.publicationsCovered] == 2)
            #expect(counters[.publisherLives] == 1)
            await publisher.close()
        }
    }

    @Test("under the epoch of another publisher hides nothing of that one: without keys the labels tell them apart")
    func otherLabel() async throws {
        let cycles = Cycles("m", "t")
        try await servingPublishers(of: [cycles]) { serving, endpoint in
            let publisher = try await RawPublisher(connectingTo: endpoint, awaiting: "t")
            await publisher.publish("t", epoch: 9, 100, source: "forger")
            await publisher.publish("t", epoch: 9, 1, source: "shop")
            while try await serving.worker.counters[.publications] < 2 { try Task.checkCancellation() }
            let counters = try await serving.worker.counters
            #expect(counters[.publisherLives] == 2)
            #expect(counters[.publicationsCovered] == 0)
            await publisher.close()
        }
    }

    @Test("by a publisher that begins again owes every monitor a cycle, and its connection is counted")
    func restart() async throws {
        let (follower, other) = (Cycles("follower", "t"), Cycles("other", "u"))
        try await servingPublishers(of: [follower, other]) { serving, endpoint in
            for life in 1...2 {
                let before = other.record.count
                let publisher = try await BusPublisher(connect: [endpoint])
                try await publisher.awaitFollowers(of: "t", within: .seconds(30))
                try publisher.publish("t", body: .string("\(life)"))
                while try await serving.worker.counters[.publisherLives] < life { try Task.checkCancellation() }
                await other.record.reach(before + 1)
                // What is said in the next life would be part of a cycle that has not begun.
                while follower.caused.count < life { try Task.checkCancellation(); await Task.yield() }
                await publisher.close()
            }
            while try await serving.worker.counters[.publicationReconnects] < 1 { try Task.checkCancellation() }
            #expect(follower.caused.allSatisfy { $0 == ["t × 1"] } && !follower.caused.isEmpty)
            #expect(try await serving.worker.counters[.publicationGaps] == 0)
        }
    }

    @Test("while a connection is down is lost: its return is counted and owes every monitor a cycle", .scorecard(9))
    func reconnect() async throws {
        let cycles = Cycles("m", "t")
        let first = try await BusPublisher(bind: [Endpoint("tcp://127.0.0.1:*")])
        let endpoint = try #require(first.endpoints.first)
        try await serving(monitors: [cycles.monitor], configure: { $0.publishers = [KnownPublisher(at: endpoint)] }) {
            serving in
            try await first.awaitFollowers(of: "t", within: .seconds(30))
            try first.publish("t")
            await cycles.told(of: "t × 1")
            await first.close()
            #expect(try await serving.worker.counters[.publicationReconnects] == 0)
            let before = cycles.record.count
            let second = try await BusPublisher(bind: [endpoint])
            while try await serving.worker.counters[.publicationReconnects] < 1 { try Task.checkCancellation() }
            await cycles.record.reach(before + 1)
            #expect(cycles.record.values.last == [], "nothing was published to it")
            await second.close()
        }
    }

    @Test("before a plain PUB can know what is followed is lost, and made up for though it says nothing")
    func plain() async throws {
        let cycles = Cycles("m", "t")
        try await servingPublishers(of: [cycles]) { serving, endpoint in
            _ = try await serving.client().notifyAndWait("t")
            let before = cycles.record.count
            let reactor = try Reactor(label: "plain")
            let socket = try await reactor.open(Pub.self)
            let start = ContinuousClock.now
            try await reactor.connect(socket, to: endpoint)
            await cycles.record.reach(before + 1)
            #expect(cycles.record.values.last == [])
            #expect(.now - start > .milliseconds(900), "not before it can know")
            await reactor.shutDown(flushing: .zero)
        }
    }

    @Test("and malformed is counted, has no effect, and does not disturb what follows")
    func malformed() async throws {
        let cycles = Cycles("m", ">")
        try await servingPublishers(of: [cycles]) { serving, endpoint in
            let publisher = try await RawPublisher(connectingTo: endpoint, awaiting: "t")
            await publisher.publish("t.")
            await publisher.publish("t.", "FORGE/1 NOTIFY", "id", "", "")
            await publisher.publish("t.", "FORGE/1 NOTIFY", "id", "", "", "", "")
            await publisher.publish("t", "FORGE/1 NOTIFY", "id", "", "", "")
            await publisher.publish("t..", "FORGE/1 NOTIFY", "id", "", "", "")
            await publisher.publish("t.", "FORGE/1 RUN", "id", "", "", "{}")
            await publisher.publish("t.", "FORGE/2 NOTIFY", "id", "", "", "")
            await publisher.publish("t.", "hello", "id", "", "", "")
            await publisher.publish("t.", "FORGE/1 NOTIFY", "", "", "", "")
            await publisher.publish("t.", "FORGE/1 NOTIFY", "id", "eight by", "", "")
            await publisher.publish("t.", "FORGE/1 NOTIFY", "id", String(repeating: "\0", count: 16), "", "")
            await publisher.publish("t.", "FORGE/1 NOTIFY", "id", "", "{", "")
            await publisher.publish("t.", "FORGE/1 NOTIFY", "id", "", #"{"reply":"evaluated"}"#, "")
            await publisher.publish("last.", "FORGE/1 NOTIFY", "id", "", "", "")
            await cycles.told(of: "last × 1")
            #expect(cycles.caused == [["last × 1"]])
            let counters = try await serving.worker.counters
            #expect(counters[.publications] == 14)
            let refused: [ErrorCode: Int] = [
                .notForge: 4, .badName: 2, .unknownCommand: 1, .unsupportedVersion: 1, .badID: 1, .badOrigin: 2,
                .badAttribute: 2,
            ]
            #expect(counters.publicationsRefused == refused)
            #expect(counters[.publisherLives] == 0)
            await publisher.close()
        }
    }

    @Test("comes in only where strangers cannot reach, and from where they cannot be")
    func closed() throws {
        func code(_ change: (inout WorkerConfiguration) throws -> Void) throws -> WorkerError.Code? {
            var configuration = WorkerConfiguration(endpoints: [try Endpoint("tcp://127.0.0.1:*")])
            try change(&configuration)
            do throws(WorkerError) {
                _ = try BusWorker(configuration, logger: .silent)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(try code { $0.publicationEndpoints = [try Endpoint("tcp://0.0.0.0:7718")] } == .openDoor)
        #expect(try code { $0.publishers = [KnownPublisher(at: try Endpoint("tcp://10.0.0.1:7718"))] } == .openDoor)
        #expect(
            try code { $0.publishers = [KnownPublisher(at: try Endpoint("tcp://publisher.example:7718"))] } == .openDoor
        )
        #expect(try code { $0.publishers = [KnownPublisher(at: try Endpoint("tcp://127.0.0.1:*"))] } == .definition)
        #expect(
            try code {
                $0.publishers = try ["ipc:///tmp/p", "tcp://[::1]:1"].map { KnownPublisher(at: try Endpoint($0)) }
            } == nil
        )
    }

    @Test("at an endpoint that is taken keeps the worker from starting")
    func taken() async throws {
        let publisher = try await BusPublisher(bind: [Endpoint("tcp://127.0.0.1:*")])
        var configuration = WorkerConfiguration(endpoints: [try Endpoint("tcp://127.0.0.1:*")])
        configuration.publicationEndpoints = publisher.endpoints
        let worker = try BusWorker(configuration, logger: .silent)
        let error = await #expect(throws: WorkerError.self) { try await worker.run() }
        #expect(error?.code == .endpoint)
        await publisher.close()
    }
}

/// Runs a test with a worker that takes what is published, at a free port.
private func servingPublishers(
    of cycles: [Cycles],
    _ body: (Serving, Endpoint) async throws -> Void
) async throws {
    let endpoint = try Endpoint("tcp://127.0.0.1:*")
    try await serving(monitors: cycles.map(\.monitor), configure: { $0.publicationEndpoints = [endpoint] }) { serving in
        guard let endpoint = try await serving.worker.publicationEndpoints.first else { throw Missing("an endpoint") }
        try await body(serving, endpoint)
    }
}
