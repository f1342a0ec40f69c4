import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Scorecard
import TestSupport
import Testing

@Suite("Copies of a request", .scorecard(7))
struct CopyTests {
    private let runs = Record<Int64>()
    private let requests = Scorecard.trials(100, full: 1_000)

    private var pipeline: HostedPipeline {
        let orchestrator = PipelineOrchestrator()
        orchestrator.register(
            Stage("work") { [runs] context in
                guard let number: Int = context.get("number") else { return .failed("no number") }
                runs.add(Int64(number))
                return .completed
            }
        )
        return HostedPipeline("work", orchestrator, seeds: [.required("number", .integer)], outputs: ["number"])
    }

    @Test("ten of each, over eight connections: one run of each, and byte-equal answers but for replayed")
    func once() async throws {
        try await serving(pipelines: [pipeline], configure: { $0.limits.attachedConnections = 16 }) { serving in
            var dealers: [RawDealer] = []
            for _ in 0..<8 { dealers.append(try await RawDealer(serving.endpoint)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, dealer) in dealers.enumerated() {
                    group.addTask {
                        for copy in 0..<10 where copy % 8 == index {
                            for number in 0..<requests {
                                try await dealer.send(
                                    "FORGE/1 RUN",
                                    "id-\(number)",
                                    "work",
                                    "",
                                    #"{"number":\#(number)}"#
                                )
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            // One connection that asks twice for a run is told once of its end.
            let told = try await answers(of: dealers)
            Scorecard.count(10 * requests)
            #expect(runs.count == requests)
            #expect(Set(runs.values).count == requests)
            #expect(told.keys.count == requests)
            for (id, answers) in told {
                try #require(answers.accepted.count == 1, "\(id): \(answers.accepted)")
                try #require(answers.results.count == 1, "\(id): \(answers.results)")
            }
            for dealer in dealers { await dealer.close() }
        }
    }

    @Test("with other content are refused, naming the run; what was refused as busy leaves no trace")
    func conflict() async throws {
        let hold = Turnstile()
        let held = PipelineOrchestrator()
        held.register(
            Stage("hold") { _ in
                await hold.pass()
                return .completed
            }
        )
        let pipeline = HostedPipeline("held", held, seeds: [.required("number", .integer)], slots: 1)
        try await serving(pipelines: [pipeline], configure: { $0.limits.queuedRuns = 1 }) { serving in
            let client = try await serving.client()
            let first = try await client.submit("held", seeds: ["number": 1], id: RequestID("a"))
            _ = try await client.submit("held", seeds: ["number": 2], id: RequestID("b"))
            let conflict = try await failure {
                _ = try await client.submit("held", seeds: ["number": 9], id: RequestID("a"))
            }
            #expect(conflict?.code == .idConflict)
            #expect(conflict?.details["run"]?.string == first.run.text)
            let dealer = try await RawDealer(serving.endpoint)
            try await dealer.send("FORGE/1 RUN", "c", "held", "", #"{"number":3}"#)
            guard case .error(let busy) = try await dealer.answers(1)[0].content else { throw Missing("BUSY") }
            #expect(busy.details["limit"] == "queued")
            hold.open()
            // The same id with other content is new: nothing is known of the request that was refused.
            await hold.reach(2)
            try await dealer.send("FORGE/1 RUN", "c", "held", "", #"{"number":4}"#)
            guard case .accepted = try await dealer.answers(2)[1].content else { throw Missing("ACCEPTED") }
            await dealer.close()
        }
    }

    /// The different bytes of each request's answers, without what says that they were said before.
    private func answers(
        of dealers: [RawDealer]
    ) async throws -> [String: (accepted: Set<[String]>, results: Set<[String]>)] {
        var told: [String: (accepted: Set<[String]>, results: Set<[String]>)] = [:]
        for (index, dealer) in dealers.enumerated() {
            // Connections 0 and 1 send two copies of each: the copies share one RESULT, or a stored one comes again.
            let least = (index < 2 ? 3 : 2) * requests
            for frames in await dealer.received.reach(least) {
                var frames = frames
                frames[3] = frames[3].replacing(#","replayed":true"#, with: "").replacing(
                    #""replayed":true,"#,
                    with: ""
                )
                if frames[0] == "FORGE/1 ACCEPTED" {
                    told[frames[1], default: ([], [])].accepted.insert(frames)
                } else {
                    told[frames[1], default: ([], [])].results.insert(frames)
                }
            }
        }
        return told
    }
}
