import ForgeBusProtocol
import ForgeBusStore
import Logging
import TestSupport
import Testing

@testable import ForgeBusWorker

@Suite("What holds a worker up")
struct ConditionTests {
    @Test("shows while it lasts, though every other answer waits for the store, and no longer")
    func slowStore() async throws {
        let store = LastingStore()
        try await serving(pipelines: [HostedPipeline("p", pipeline(Stage("work")))], store: store) { serving in
            let client = try await serving.client()
            func check(_ name: String) async throws -> JSONValue? {
                let worker = try await client.worker()
                return worker.checks[name]
            }
            #expect(try await check("store") == "ok")
            store.hold()
            async let run = client.run("p")
            // It takes a second until the commit counts as slow.
            while try await check("store") != "slow" {}
            let worker = try await client.worker()
            #expect(worker.storeSinceUnixMilliseconds != nil && worker.state == .ready)
            #expect(worker.checks["disk"] == "ok")
            store.letGo()
            #expect(try await run.state == .completed)
            while try await check("store") != "ok" {}
            #expect(try await client.worker().storeSinceUnixMilliseconds == nil)
            #expect(try await client.worker().counters?["received"]?.integer ?? 0 > 3)
        }
    }

    @Test("includes a disk that is nearly full, as the store reports it")
    func disk() async throws {
        let store = LastingStore()
        try await serving(store: store) { serving in
            let client = try await serving.client()
            store.tell(.short)
            while try await client.worker().checks["disk"] != "short" {}
            store.tell(.ample)
            while try await client.worker().checks["disk"] != "ok" {}
        }
    }

    @Test("is logged once when it begins, and once when it ends")
    func logged() {
        let lines = Record<String>()
        let logger = lines.logger { "\($0.level) \($0.message)" }
        var conditions = WorkerConditions(logger)
        for kind in WorkerConditions.Kind.allCases {
            conditions.set(kind, false, at: 0)
            for time in 1...3 { conditions.set(kind, true, at: Int64(time)) }
            #expect(conditions.holds(kind) && conditions.areAny)
            var item = WorkerItem()
            item.checks = [:]
            conditions.complete(&item)
            #expect(item.json["\(kind.rawValue)_since_ms"] == 1)
            #expect(item.checks[kind.rawValue] != "ok")
            for time in 4...5 { conditions.set(kind, false, at: Int64(time)) }
            conditions.complete(&item)
            #expect(!conditions.areAny && item.checks[kind.rawValue] == "ok")
        }
        #expect(lines.values.count == 6)
        #expect(
            lines.values.map { $0.split(separator: " ").first } == [
                "warning", "notice", "warning", "notice", "warning", "notice",
            ]
        )
    }
}
