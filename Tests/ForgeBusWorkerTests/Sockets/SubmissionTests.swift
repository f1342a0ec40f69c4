import ForgeBusProtocol
import ForgeOrchestrator
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusWorker

@Suite("A request without a socket", .timeLimit(.minutes(30)))
struct SubmissionTests {
    private let runs = Record<String>()

    private var hosted: HostedPipeline {
        let work = Stage("work") { [runs] context in
            runs.add("run")
            context.set("greeting", "Hello")
            return .completed
        }
        return HostedPipeline("p", pipeline(work), outputs: ["greeting"])
    }

    private func run(_ id: String, seeds: JSONObject = [:], wantsProgress: Bool = false) throws -> Request {
        let request = RunRequest(pipeline: "p", seeds: seeds, wantsProgress: wantsProgress)
        return Request(.run(request), id: try RequestID(id))
    }

    @Test("for a run gets ACCEPTED, its progress and its result, and no more")
    func run() async throws {
        try await serving(pipelines: [hosted]) { serving in
            let answers = try await serving.answers(to: run("a", wantsProgress: true))
            #expect(answers.map(\.word) == ["accepted", "progress", "progress", "result completed"])
            #expect(answers.map(\.id?.text) == Array(repeating: "a", count: 4))
            guard case .result(let result)? = answers.last?.content else { throw Missing("a result") }
            #expect(result.outputs == ["greeting": "Hello"])
        }
    }

    @Test("has its effect once, whichever way it comes, and is a conflict with other content")
    func resent() async throws {
        try await serving(pipelines: [hosted]) { serving in
            #expect(try await serving.answers(to: run("a")).map(\.isReplayed) == [false, false])
            #expect(try await serving.answers(to: run("a")).map(\.isReplayed) == [true, true])
            let dealer = try await RawDealer(serving.endpoint)
            try await dealer.send("FORGE/1 RUN", "a", "p", "", "")
            #expect(try await dealer.answers(2).map(\.isReplayed) == [true, true])
            #expect(runs.count == 1)
            let other = try await serving.answers(to: run("a", seeds: ["other": 1]))
            #expect(other.map(\.word) == ["error id_conflict"])
            await dealer.close()
        }
    }

    @Test("decides a gate that waits, and gets the verdict")
    func decision() async throws {
        let gated = HostedPipeline("p", pipeline(GateAction("approve", signal: "x.{run.id}")))
        try await serving(pipelines: [gated]) { serving in
            var words: [String] = []
            for await answer in try await serving.worker.submit(run("a", wantsProgress: true), as: .local) {
                words.append(answer.word)
                guard case .progress(let progress) = answer.content,
                    case .waiting(_, let signal) = progress.change
                else { continue }
                let decision = Decision(signal: signal.knownName, outcome: .approved(value: []))
                #expect(try await serving.answers(to: Request(.decide(decision))).map(\.word) == ["verdict delivered"])
            }
            #expect(words.last == "result completed")
        }
    }

    @Test("of a kind that has one answer gets that one")
    func single() async throws {
        try await serving(
            pipelines: [hosted],
            monitors: [HostedMonitor("m", monitor(Check("c") { .completed }), topics: ["t"])]
        ) { serving in
            let detached = RunRequest(pipeline: "p", isDetached: true)
            let words = try await [
                Request.Command.hello, .ping([1]), .run(detached), .notify(StateChange(topic: "t")), .unwatch,
                .show(ShowRequest(.pipeline, "p")), .list(ListRequest(kind: .pipelines)),
                .ping(Array(repeating: 0, count: 5000)),
            ].asyncMap { try await serving.answers(to: Request($0)).map(\.word) }
            #expect(
                words == [
                    ["welcome"], ["pong"], ["accepted"], ["accepted"], ["ok unwatched"], ["shown"], ["page"],
                    ["error too_large"],
                ]
            )
            let evaluated = Request(.notify(StateChange(topic: "t", wantsEvaluation: true)))
            #expect(try await serving.answers(to: evaluated).map(\.word) == ["accepted", "evaluated"])
        }
    }

    @Test("does what its principal may, and nothing for one that is not known or is no more")
    func access() async throws {
        let shop = AccessPolicy.Member(
            "shop",
            keys: [],
            grants: AccessPolicy.Grants([.run: .init(allow: ["p"]), .read: .init(allow: ["run.>"])])
        )
        let policy = try AccessPolicy([shop, AccessPolicy.Member("guest", keys: [])])
        try await serving(
            pipelines: [hosted],
            awaitingReady: false,
            configure: { $0.access = .keyed(KeyPair(), policy) }
        ) { serving in
            #expect(
                try await serving.answers(to: run("a"), as: "shop").map(\.word) == ["accepted", "result completed"]
            )
            let show = Request(.show(ShowRequest(.pipeline, "p")))
            for name in ["shop", "guest", "local", "nobody"] {
                #expect(try await serving.answers(to: show, as: name).map(\.word) == ["error forbidden"])
            }
            #expect(try await serving.answers(to: run("a"), as: "guest").map(\.word) == ["error forbidden"])
            let watch = Request(.watch(WatchRequest("run.>", credit: 10)))
            let events = try await serving.worker.submit(watch, as: AccessPolicy.Principal("shop"))
            try await serving.worker.replaceAccess(with: policy, by: "test")
            _ = try await serving.answers(to: run("b"), as: "shop")
            try await serving.worker.replaceAccess(with: AccessPolicy([]), by: "test")
            #expect(await events.map(\.word).collected() == ["event", "event", "event", "error forbidden"])
        }
    }

    @Test("of which nobody reads the answers any more is told nothing, and its run goes on")
    func abandoned() async throws {
        let (isLetGo, hasBegun) = (CompletionSignal(), CompletionSignal())
        let work = Stage("work") { _ in
            hasBegun.complete()
            await isLetGo.wait()
            return .completed
        }
        try await serving(pipelines: [HostedPipeline("p", pipeline(work))]) { serving in
            let watch = Request(.watch(WatchRequest("run.>", credit: 10)))
            for request in [watch, try run("a")] {
                let answers = try await serving.worker.submit(request, as: .local)
                let reading = Task { for await _ in answers {} }
                if request != watch { await hasBegun.wait() }
                reading.cancel()
                await reading.value
            }
            let loop = try await serving.worker.lifecycle.bound().loop
            while await loop.waiting(on: loop.reactor) != 0 { try Task.checkCancellation() }
            isLetGo.complete()
            let words = try await serving.answers(to: run("a")).map(\.word)
            #expect(words == ["accepted", "result completed"])
        }
    }

    @Test("whose answers are read late gets all of them")
    func late() async throws {
        try await serving(pipelines: [hosted]) { serving in
            let watch = Request(.watch(WatchRequest("run.>", credit: 3 * Submissions.queueLength)))
            let events = try await serving.worker.submit(watch, as: .local)
            for number in 0..<Submissions.queueLength { _ = try await serving.answers(to: run("\(number)")) }
            #expect(try await serving.worker.counters[.answersDelayed] > 0)
            let answers = await events.collected()
            #expect(answers.map(\.word) == Array(repeating: "event", count: answers.count - 1) + ["ok credit_ended"])
            let lost = answers.map { if case .event(let event) = $0.content { event.lost } else { 0 } }
            #expect(lost.allSatisfy { $0 == 0 })
            #expect(answers.count == 3 * Submissions.queueLength + 1)
        }
    }

    @Test("counts as a connection while it waits for answers")
    func crowded() async throws {
        // One is that of the client that waited until the worker was ready.
        try await serving(pipelines: [hosted], configure: { $0.limits.connections = 2 }) { serving in
            let watch = Request(.watch(WatchRequest("run.>", credit: 10)))
            let first = try await serving.worker.submit(watch, as: .local)
            #expect(try await serving.answers(to: Request(.ping([]))).map(\.word) == ["error busy"])
            withExtendedLifetime(first) {}
        }
    }

    @Test("gets no more answers once the worker stops")
    func stopped() async throws {
        try await serving(pipelines: [hosted]) { serving in
            let watch = Request(.watch(WatchRequest("run.>", credit: 10)))
            let events = try await serving.worker.submit(watch, as: .local)
            serving.cancel()
            #expect(await events.collected().isEmpty)
            _ = await serving.end()
            await #expect(throws: WorkerError.self) { try await serving.worker.submit(watch, as: .local) }
        }
    }
}

extension Serving {
    fileprivate func answers(to request: Request, as principal: String = "local") async throws -> [Answer] {
        try await worker.submit(request, as: AccessPolicy.Principal(principal)).collected()
    }
}

extension WorkerLoop {
    /// How many submissions wait for answers, and how many watches there are.
    fileprivate func waiting(on reactor: isolated Reactor) -> Int { door.waiting + core.watches.count }
}

extension AsyncSequence where Failure == Never {
    fileprivate func collected() async -> [Element] {
        var all: [Element] = []
        for await element in self { all.append(element) }
        return all
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var all: [Value] = []
        for element in self { all.append(try await transform(element)) }
        return all
    }
}

extension Answer {
    /// What kind of answer it is, and what it says in a word.
    fileprivate var word: String {
        switch content {
        case .welcome: "welcome"
        case .accepted: "accepted"
        case .progress: "progress"
        case .result(let result): "result \(result.state.rawValue)"
        case .evaluated: "evaluated"
        case .verdict(let report): "verdict \(report.verdict.word)"
        case .ok(let report): "ok \(report.state.rawValue)"
        case .shown: "shown"
        case .page: "page"
        case .event: "event"
        case .pong: "pong"
        case .error(let error): "error \(error.code)"
        }
    }
}
