import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("What an operator asks")
struct CoreOperationTests {
    private var harness: CoreHarness
    private let verify = Request.Command.admin(AdminRequest("store.verify"))

    init() throws {
        let all = AccessPolicy.Grant(allow: [">"])
        let ops = AccessPolicy.Member("ops", keys: [], grants: AccessPolicy.Grants([.admin: all, .run: all]))
        harness = CoreHarness(
            pipelines: [HostedPipeline("p", pipeline(Stage("work")))],
            access: try AccessPolicy([ops])
        )
    }

    @Test("is refused where the worker knows no such verb, and leaves no trace")
    mutating func unknownVerb() throws {
        #expect(try send(verify) == ["1<a error unknown_verb"])
        #expect(harness.keptCount == 0)
    }

    @Test("under an id that was used for other content is a conflict, as with every command that is done once")
    mutating func idConflict() throws {
        #expect(try send(.run(RunRequest(pipeline: "p"))).first == "1<a accepted run-1")
        #expect(try send(verify) == ["1<a error id_conflict"])
    }

    private mutating func send(_ command: Request.Command) throws -> [String] {
        let request = Request(command, id: try RequestID("a"))
        return harness.step(.received(Received(request, from: 1, as: AccessPolicy.Principal("ops"))))
    }
}
