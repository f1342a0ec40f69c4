import ForgeBusConfiguration
import ForgeBusWorker
import ForgeOrchestrator
import TestSupport
import Testing

@Suite("What a later worker knows of an action of a file")
struct ActionRevisionTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func revision(_ action: String, of id: ActionID = "b") throws -> HostedPipeline.Revision {
        let yaml = """
            pipelines:
              p:
                seeds: {v: {type: string, required: true}}
                actions:
                  - {id: a, run: [x]}
                  - \(action)
            """
        let pipeline = try #require(try WorkerFile(yaml, in: directory).pipelines.first)
        return try #require(pipeline.revisions[id])
    }

    @Test(
        "is another work if it does something else",
        arguments: [
            "{id: b, run: [z]}", "{id: b, run: [y, z]}", "{id: b, run: [y], when: [z]}",
            "{id: b, run: [y], env: {K: v}}", "{id: b, gate: {signal: g}}",
        ]
    )
    func work(_ action: String) throws {
        let (old, new) = (try revision("{id: b, run: [y]}"), try revision(action))
        #expect(old.work != new.work && old.handling == new.handling)
    }

    @Test(
        "is treated otherwise if its time limit or its policy changed",
        arguments: ["timeout: 5ms", "retry: {attempts: 2}", "on_failure: park"]
    )
    func handling(_ key: String) throws {
        let (old, new) = (try revision("{id: b, run: [y]}"), try revision("{id: b, run: [y], \(key)}"))
        #expect(old.work == new.work && old.handling != new.handling)
    }

    @Test("is the same however it is written, and wherever it stands")
    func same() throws {
        let text = "{id: b, run: [y, \"5\"], env: {K: v, L: w}}"
        let other = "{env: {L: \"w\", K: v}, run: [\"y\", 5], id: b, priority: low, requires: [a]}"
        #expect(try revision(other) == revision(text))
        #expect(try revision("\(text) # a remark\n      - {id: c, run: [x]}") == revision(text))
    }

    @Test(
        "is the same if only the rule of a gate changed; another id is another gate",
        arguments: ["deadline: 5ms", "requester_may_decide: true"]
    )
    func rule(_ key: String) throws {
        let old = try revision("{id: b, gate: {signal: \"g.{seed.v}\"}}")
        #expect(try revision("{id: b, gate: {signal: \"g.{seed.v}\", \(key)}}") == old)
        #expect(try revision("{id: b, gate: {signal: \"h.{seed.v}\", \(key)}}").work != old.work)
    }
}
