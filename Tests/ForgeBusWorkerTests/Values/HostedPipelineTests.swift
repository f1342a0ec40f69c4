import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("A hosted pipeline")
struct HostedPipelineTests {
    @Test("has no flaw when each action requires what runs before it")
    func sound() {
        let sound = HostedPipeline(
            "p",
            pipeline(
                Stage("late", priority: .low, requires: ["early", "same"]),
                Stage("early"),
                Stage("same", requires: ["early"])
            ),
            seeds: [.required("n", .integer), .optional("s", .string, default: nil)]
        )
        #expect(sound.flaw == nil)
    }

    @Test("has a flaw when an action requires one that is not registered, runs later, or is itself")
    func requirements() {
        let absent = HostedPipeline("p", pipeline(Stage("a", requires: ["b"])))
        #expect(absent.flaw == Errors.cannotRequire("a", "b", isRegistered: false))
        let later = HostedPipeline("p", pipeline(Stage("a", requires: ["b"]), Stage("b")))
        #expect(later.flaw == Errors.cannotRequire("a", "b", isRegistered: true))
        let itself = HostedPipeline("p", pipeline(Stage("a", requires: ["a"])))
        #expect(itself.flaw != nil)
    }

    @Test("has a flaw when a seed is declared twice or has a default of another type")
    func seeds() {
        let twice = HostedPipeline("p", pipeline(), seeds: [.required("n", .integer), .required("n", .string)])
        #expect(twice.flaw?.contains("`n`") == true)
        let unfit = HostedPipeline("p", pipeline(), seeds: [.optional("n", .integer, default: "three")])
        #expect(unfit.flaw?.contains("`n`") == true)
    }

    @Test("has a flaw when a gate's id needs a seed that is not declared")
    func gates() {
        let gate = GateAction("approve", signal: "deploy.{seed.version}")
        #expect(HostedPipeline("p", pipeline(gate)).flaw?.contains("`version`") == true)
        #expect(HostedPipeline("p", pipeline(gate), seeds: [.required("version", .string)]).flaw == nil)
    }

    @Test("has a flaw when its title names what no run has when it is accepted, or a secret")
    func titles() {
        let seeds = [
            Seed.required("version", .string), .optional("token", .string, default: nil, isSecret: true),
        ]
        for title in ["{value.tests}", "{seed.name}", "{seed.token}"] as [MessageTemplate] {
            #expect(HostedPipeline("p", pipeline(), title: title, seeds: seeds).flaw != nil, "\(title)")
        }
        #expect(HostedPipeline("p", pipeline(), title: "{seed.version} {run.id}", seeds: seeds).flaw == nil)
    }

    @Test("has one slot at least")
    func slots() {
        #expect(HostedPipeline("p", pipeline(), slots: 0).slots == 1)
    }
}

@Suite("A worker that is made")
struct WorkerDefinitionTests {
    private func code(_ endpoints: [String], _ pipelines: [HostedPipeline] = [], _ monitors: [HostedMonitor] = [])
        throws
        -> WorkerError.Code?
    {
        let configuration = WorkerConfiguration(endpoints: try endpoints.map { try .init($0) })
        do throws(WorkerError) {
            _ = try BusWorker(configuration, pipelines: pipelines, monitors: monitors)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        "is refused where strangers could reach it",
        arguments: [
            "tcp://*:5555", "tcp://0.0.0.0:5555", "tcp://192.0.2.1:5555", "tcp://localhost:5555", "tcp://[::]:5555",
        ]
    )
    func openDoor(endpoint: String) throws {
        #expect(try code(["tcp://127.0.0.1:*", endpoint]) == .openDoor)
    }

    @Test(
        "may listen on a loopback address and on ipc",
        arguments: [
            "tcp://127.0.0.1:*", "tcp://127.8.9.10:5555", "tcp://[::1]:*", "ipc:///run/forge/bus",
        ]
    )
    func closedDoor(endpoint: String) throws {
        #expect(try code([endpoint]) == nil)
    }

    @Test("is refused without an endpoint, with a name given twice, or with a pipeline that cannot work")
    func definitions() throws {
        let local = ["tcp://127.0.0.1:*"]
        let sound = HostedPipeline("p", pipeline())
        #expect(try code([]) == .definition)
        #expect(try code(local, [sound, sound]) == .definition)
        #expect(try code(local, [HostedPipeline("p", pipeline(Stage("a", requires: ["b"])))]) == .definition)
        let watch = HostedMonitor("m", MonitorOrchestrator(), topics: [">"])
        #expect(try code(local, [], [watch, watch]) == .definition)
        #expect(try code(local, [sound], [watch]) == nil)
    }

    @Test("keeps things as long as what keeps them is worth, unless it is told otherwise")
    func retention() throws {
        var configuration = WorkerConfiguration(endpoints: [])
        #expect(configuration.retention(.memory) == .seconds(60))
        #expect(configuration.retention(.fsynced) == .seconds(24 * 3600))
        #expect(configuration.signalRetention(.memory) == .seconds(3600))
        #expect(configuration.signalRetention(.fsynced) == .seconds(7 * 24 * 3600))
        configuration.retention = .seconds(5)
        configuration.signalRetention = .seconds(6)
        #expect(configuration.retention(.fsynced) == .seconds(5))
        #expect(configuration.signalRetention(.fsynced) == .seconds(6))
    }
}
