import ForgeBusFleet
import ForgeBusProtocol
import ForgeBusTesting
import ForgeBusWorker
import ForgeLocks
import ForgeOrchestrator
import HTTPTypes
import Testing
import ZeroMQ

@testable import ForgeBusGateway

/// A fleet of workers with keys whose gateway acts for ada, who may do everything, bob, who may read, and eve.
private struct Served {
    let fleet: TestFleet
    let live: LiveFleet
    let api: API
    private let watching: Task<Void, Never>

    init(_ names: [Name], ages: [Name: Int] = [:]) async throws {
        let gateway = KeyPair()
        let all = AccessPolicy.Grant(allow: [">"])
        let access = try AccessPolicy([
            .init("gateway", keys: [gateway.publicKey], grants: .init([.actAs: all])),
            .init("ada", keys: [], grants: .init([.notify: all, .run: all, .read: all])),
            .init("bob", keys: [], grants: .init([.read: all])),
            .init("eve", keys: []),
        ])
        let set = Guarded(ages)
        fleet = try await TestFleet(
            names,
            configure: { configuration in
                if case .keyed(let pair, _) = configuration.access { configuration.access = .keyed(pair, access) }
            }
        ) { name in
            let (monitor, pipeline) = (MonitorOrchestrator(), PipelineOrchestrator())
            monitor.register(Check { set.withLock { $0[name] ?? 0 } <= 70 })
            pipeline.register(Remedy { set.withLock { $0[name] = 1 } })
            return TestFleet.Definition(
                pipelines: [HostedPipeline("remedy", pipeline)],
                monitors: [HostedMonitor("password-age", monitor, topics: ["policy.>"])]
            )
        }
        let client = try FleetClient(fleet.inventory, as: gateway, patience: .seconds(300))
        let live = LiveFleet(client, readingFor: "bob")
        self.live = live
        let answers = FleetAPI(live, keepAlive: .seconds(15))
        api = API(bus: NoWorker(), fleet: answers, keepAlive: .seconds(15))
        watching = Task { await live.run() }
    }

    func ask(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ query: [(name: String, value: String)] = [],
        as principal: Name,
        scope: Set<Right>? = nil,
        fields: HTTPFields = [:]
    ) async throws -> (status: Int, json: JSONObject) {
        let parts = path.split(separator: "/").map(String.init)
        let sender = Sender(principal: principal, scope: scope)
        let answer = await api.respond(
            to: .made(method: method, path: parts, query: query, fields: fields, sender: sender)
        )
        guard case .bytes(let bytes, _) = answer.body, case .object(let json) = try JSONValue(parsing: bytes[...])
        else {
            return (answer.status.code, [:])
        }
        return (answer.status.code, json)
    }

    func close() async {
        watching.cancel()
        await live.client.close()
        await fleet.close()
    }
}

private struct Check: MonitorAction, FallibleAction {
    let id: ActionID = "check"
    let priority: ActionPriority = .critical
    let isGood: @Sendable () -> Bool

    func shouldRun() async -> Bool { true }
    func run() async -> ActionResult { isGood() ? .completed : .failed("too old") }
}

private struct Remedy: PipelineAction {
    let id: ActionID = "set"
    let priority: ActionPriority = .critical
    let set: @Sendable () -> Void

    func shouldRun() async -> Bool { true }

    func execute(context: PipelineContext) async -> ActionResult {
        set()
        return .completed
    }
}

@Suite("The API of a fleet", .timeLimit(.minutes(10)))
struct FleetAPITests {
    private static let wait: HTTPFields = [.prefer: "wait=60"]

    @Test("lets each worker decide who may read, notify and run")
    func matrix() async throws {
        let served = try await Served(["web-01", "web-02"])
        let (topic, runs) = ("v1/fleet/topics/policy.age", "v1/fleet/pipelines/remedy/runs")
        for (principal, reads, notifies, begins) in [
            ("ada", 200, 200, 200), ("bob", 200, 403, 403), ("eve", 403, 403, 403),
        ]
            as [(Name, Int, Int, Int)]
        {
            #expect(try await served.ask(.get, "v1/fleet/workers", as: principal).status == reads)
            #expect(try await served.ask(.get, "v1/fleet/monitors", as: principal).status == reads)
            #expect(try await served.ask(.get, "v1/fleet/events", as: principal).status == reads)
            #expect(try await served.ask(.post, topic, as: principal, fields: Self.wait).status == notifies)
            #expect(try await served.ask(.post, runs, as: principal, fields: Self.wait).status == begins)
        }
        #expect(try await served.ask(.post, topic, as: "nobody", fields: Self.wait).status == 403)
        #expect(try await served.ask(.post, topic, as: "ada", scope: [.read], fields: Self.wait).status == 403)
        #expect(try await served.ask(.get, "v1/fleet/monitors", as: "ada", scope: [.notify]).status == 403)
        await served.close()
    }

    @Test("tells which worker violates, remedies it, and converges; the same key is the same roll-out")
    func story() async throws {
        let served = try await Served(["web-01", "web-02", "web-03"], ages: ["web-02": 80])
        let topic = "v1/fleet/topics/policy.age"
        let violating = try await served.ask(.post, topic, as: "ada", fields: Self.wait)
        #expect(violating.json["counts"] == ["failed": 1, "converged": 2])
        let first = try #require(violating.json["items"]?.array?.first?.object)
        #expect(first["worker"] == "web-02" && first["state"] == "failed" && first["subject"] == "password-age")
        var fields = Self.wait
        fields[.idempotencyKey] = "change-7"
        let query = [(name: "failing", value: "password-age"), (name: "batches", value: "1,100%")]
        let path = "v1/fleet/pipelines/remedy/runs"
        let remedied = try await served.ask(.post, path, query, as: "ada", fields: fields)
        #expect(remedied.status == 200 && remedied.json["counts"] == ["completed": 1])
        #expect(try await served.ask(.post, path, query, as: "bob", fields: fields).status == 422)
        let converged = try await served.ask(.post, topic, as: "ada", fields: Self.wait)
        #expect(converged.json["counts"] == ["converged": 3])
        await served.close()
    }

    @Test("reads nothing into an old evaluation: since now, nobody is up to date")
    func since() async throws {
        let served = try await Served(["web-01"])
        // The cycle at the worker's start may not have ended yet.
        let past = [("since", "2020-01-01T00:00:00Z")]
        while try await served.ask(.get, "v1/fleet/monitors", past, as: "ada").json["counts"] != ["converged": 1] {}
        for query in [[("since", "2126-01-01T00:00:00Z")], [("since", "now")], [("on", "role=")], [("onn", "a")]] {
            #expect(try await served.ask(.get, "v1/fleet/monitors", query, as: "ada").status == 400)
        }
        #expect(try await served.ask(.get, "v1/worker", as: "ada").json["code"] == "unknown_path")
        await served.close()
    }

    @Test("has metrics of the monitors that the sender may read, and of all workers")
    func metrics() async throws {
        let served = try await Served(["web-01", "web-02"], ages: ["web-01": 80])
        var summary = try await served.live.summary(for: Sender(principal: "bob"))
        while summary.monitors != ["password-age": [.ok: 1, .failed: 1]] || summary.workers != [.here: 2] {
            try await Task.sleep(for: .milliseconds(10))
            summary = try await served.live.summary(for: Sender(principal: "bob"))
        }
        let lines = FleetMetrics.lines(summary)
        #expect(lines.contains(#"forgebus_fleet_workers{state="here"} 2"#))
        #expect(lines.contains(#"forgebus_fleet_monitors{monitor="password-age",state="failed"} 1"#))
        await #expect(throws: BusError.self) { try await served.live.summary(for: Sender(principal: "eve")) }
        await served.close()
    }
}
