import ForgeBusProtocol
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusConfiguration
@testable import ForgeBusWorker

@Suite("A gate from a file")
struct GateTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The file with these gates in one pipeline, which has the seeds `v` and `w`.
    func file(_ gates: String) throws -> WorkerFile {
        let seeds = "{v: {type: string}, w: {type: integer}}"
        return try WorkerFile("pipelines: {p: {seeds: \(seeds), actions: [\(gates)]}}\n", in: directory)
    }

    @Test(
        "may be decided by whom it says",
        arguments: [
            ("", GateRule.anybody),
            (", requester_may_decide: true", .anybody),
            (", allowed: [ada, release.bot]", GateRule(allowed: ["ada", "release.bot"])),
            (", requester_may_decide: false", GateRule(requesterMayDecide: false)),
            (
                ", allowed: [ada], requester_may_decide: false",
                GateRule(allowed: ["ada"], requesterMayDecide: false)
            ),
        ]
    )
    func rule(_ keys: String, _ rule: GateRule) throws {
        let gate = try file("{id: a, gate: {signal: a.go\(keys)}}").pipelines[0].orchestrator.registered[0]
        #expect((gate as? GateAction)?.rule == rule)
    }

    @Test("is served only with keys, if it says who may decide it")
    func identities() throws {
        var file = try file("{id: a, gate: {signal: a.go, requester_may_decide: false}}")
        file.configuration.endpoints = [try Endpoint("ipc://\(directory.path)/worker.ipc")]
        let unkeyed = file
        let error = #expect(throws: ConfigurationError.self) { _ = try unkeyed.worker() }
        #expect(error?.key == "pipelines.p.actions[0].gate.requester_may_decide" && error?.line != nil)
        #expect(error?.message == Errors.needsKeys("requester_may_decide").message)
        let policy = try AccessPolicy([AccessPolicy.Member("ada", keys: [KeyPair().publicKey])])
        file.configuration.access = .keyed(KeyPair(), policy)
        _ = try file.worker()
    }

    @Test("tells those who decide what its file says")
    func message() throws {
        let gates = try file(
            #"{id: a, gate: {signal: a.go, message: "Go {seed.v}? {value.tests}"}}, {id: b, gate: {signal: b.go}}"#
        )
        let messages = gates.pipelines[0].orchestrator.registered.map { ($0 as? GateAction)?.message?.text }
        #expect(messages == ["Go {seed.v}? {value.tests}", nil])
    }

    @Test("declares the signals that it may ever wait for, and a file without gates declares none")
    func signals() throws {
        let gates = try file(
            """
            {id: a, gate: {signal: "deploy.{seed.v}.approve"}}, {id: b, gate: {signal: "run.{run.id}"}},
            {id: c, gate: {signal: "x-{seed.v}-{seed.w}.y"}}, {id: d, gate: {signal: plain}}, {id: e, run: [x]}
            """
        )
        #expect(gates.configuration.signals?.map(\.text) == ["deploy.*.approve", "run.*", "x-*-*.y", "plain"])
        #expect(try file("{id: e, run: [x]}").configuration.signals == [])
    }
}
