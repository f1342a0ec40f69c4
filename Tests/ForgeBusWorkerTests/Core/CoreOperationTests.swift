import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing
import ZeroMQ

@testable import ForgeBusWorker

@Suite("What an operator asks")
struct CoreOperationTests {
    private var harness: CoreHarness
    private let principal: AccessPolicy.Principal
    private let verify = Request.Command.admin(AdminRequest("store.verify"))

    init() throws {
        let all = AccessPolicy.Grant(allow: [">"])
        let key = try PublicKey(bytes: [UInt8](repeating: 1, count: PublicKey.sizeInBytes))
        let ops = AccessPolicy.Member("ops", keys: [key], grants: AccessPolicy.Grants([.admin: all, .run: all]))
        let access = try AccessPolicy([ops])
        principal = access.principal(forKey: key) ?? AccessPolicy.Principal("nobody")
        harness = CoreHarness(pipelines: [HostedPipeline("p", pipeline(Stage("work")))], access: access)
    }

    @Test("is refused where the worker knows no such verb, and leaves no trace")
    mutating func unknownVerb() throws {
        #expect(try send(.admin(AdminRequest("store.compact"))) == ["1<a error unknown_verb"])
        #expect(harness.keptCount == 0)
    }

    @Test("is answered when the store has done it, to everybody who asked, and then once for all")
    mutating func performed() throws {
        #expect(try send(verify) == ["perform verify for a"])
        #expect(try send(verify).isEmpty, "it is under way")
        #expect(try send(verify, from: 2).isEmpty)
        #expect(harness.keptCount == 0, "nothing was done yet")
        let done = Event.performed(RequestKey(principal: "ops", id: try RequestID("a")), .success(["sound": true]))
        #expect(harness.step(done) == ["1<a ok done", "2<a ok done"])
        #expect(try send(verify) == ["1<a ok done again"])
        #expect(harness.step(done).isEmpty, "nobody asks for that any more")
    }

    @Test("holds its id while the store does it: other content under it is a conflict")
    mutating func conflictMeanwhile() throws {
        _ = try send(verify)
        #expect(try send(.run(RunRequest(pipeline: "p"))) == ["1<a error id_conflict"])
        #expect(try send(.admin(AdminRequest("store.stats"))) == ["1<a error id_conflict"])
    }

    @Test("tells as many connections as a run would; more are busy")
    mutating func connections() throws {
        for peer in 1...9 { _ = try send(verify, from: peer) }
        #expect(try send(verify, from: 10) == ["10<a error busy attached"])
        #expect(try send(verify, from: 9).isEmpty)
    }

    @Test("counts against the bound on requests whose answers are kept before it is done")
    mutating func full() throws {
        var limits = WorkerLimits()
        limits.requests = 1
        harness = CoreHarness(pipelines: [HostedPipeline("p", pipeline(Stage("work")))], limits: limits)
        #expect(harness.send(verify, id: "a") == ["perform verify for a"])
        #expect(harness.run("b") == ["1<b error busy ledger"])
    }

    @Test("that the store could not do is an error, leaves no trace, and may be asked again under the same id")
    mutating func failed() throws {
        _ = try send(verify)
        let error = StoreError(.inputOutput, "It could not be read.", next: "Look after the disk.")
        let key = RequestKey(principal: "ops", id: try RequestID("a"))
        #expect(harness.step(.performed(key, .failure(error))) == ["1<a error store_failed"])
        #expect(harness.keptCount == 0)
        #expect(try send(verify) == ["perform verify for a"])
    }

    @Test("under an id that was used for other content is a conflict, as with every command that is done once")
    mutating func idConflict() throws {
        #expect(try send(.run(RunRequest(pipeline: "p"))).first == "1<a accepted run-1")
        #expect(try send(verify) == ["1<a error id_conflict"])
    }

    private mutating func send(_ command: Request.Command, from peer: Int = 1) throws -> [String] {
        let request = Request(command, id: try RequestID("a"))
        return harness.step(.received(Received(request, from: peer, as: principal)))
    }
}
