import ForgeBusProtocol
import ForgeOrchestrator
import TestSupport
import ZeroMQ

@testable import ForgeBusWorker

/// What the simulated worker serves and to whom, with bounds so tight that they are reached.
enum BusSetting {
    /// One key each: two processes of `ada`, who may do everything, one of `bob`, one of `carl`, who only decides, and `eve`,
    /// who may do little; and a gateway that always asks for `bob`.
    static let clients: [(name: Name, key: AccessPolicy.Key)] = [
        ("ada", key(1)), ("ada", key(2)), ("bob", key(3)), ("carl", key(5)), ("eve", key(4)),
        ("gate", key(6)),
    ]
    /// Who speaks on the connections of each client.
    static let speakers = clients.map { Regime.usual.policy.principal(forKey: $0.key) ?? AccessPolicy.Principal("") }
    /// For whom each client asks.
    static let principals = speakers.map { $0.name == "gate" ? $0.acting(for: "bob") : $0 }
    /// Which client speaks: that of the connection's number, unless another took that connection's id.
    static func client(of caller: Caller) -> Int {
        let owner = caller.number % 100
        if speakers[owner].name == caller.principal { return owner }
        return speakers.firstIndex { $0.name == caller.principal } ?? owner
    }

    static let pipelines: [Name] = ["p", "q"]
    private static let seeds: [Seed] = [.optional("s", .string, default: nil), .optional("k", .string, default: nil)]

    /// Which pipelines have keys, and what becomes of their new runs while another run has the key: that follows the seed.
    enum KeyForm: UInt64 {
        case none, queue, supersede, refuse, group, supersedingGroup

        init(_ seed: UInt64) { self = KeyForm(rawValue: seed / 8 % 6) ?? .none }

        var isSuperseding: Bool { self == .supersede || self == .group || self == .supersedingGroup }

        /// What becomes of the new runs of a pipeline; nil if they have no keys.
        func newcomer(of pipeline: Name) -> OnePer.Newcomer? {
            switch (self, pipeline) {
            case (.none, _), (.queue, "q"), (.supersede, "q"), (_, "unknown"): nil
            case (.queue, _), (.group, "p"), (.refuse, "q"): .queue
            case (.refuse, _): .refuse
            case (.supersede, _), (.group, _), (.supersedingGroup, _): .supersede
            }
        }

        /// The key of a run, with its pipeline where other pipelines have other keys.
        func key(of pipeline: Name, _ seeds: JSONObject) -> String? {
            guard newcomer(of: pipeline) != nil else { return nil }
            return "\(isOfGroup ? "" : pipeline.text):\(seeds["k"]?.string ?? "")"
        }

        private var isOfGroup: Bool { self == .group || self == .supersedingGroup || self == .refuse }

        fileprivate func rule(of pipeline: Name) -> OnePer? {
            newcomer(of: pipeline).map { OnePer("{seed.k}", group: isOfGroup ? "both" : nil, then: $0) }
        }
    }
    /// The actions of each pipeline, in their order.
    static let actions = ["a", "b", "c", "d"]
    /// Those among them that are gates.
    static let gates: Set<String> = ["b", "d"]
    private static let hosted = pipeline(
        Stage("a"),
        uncertain("b", "g0"),
        Stage("c"),
        uncertain("d", "g1")
    )
    /// With a gate whose template each signal's id matches.
    private static let hostedForAny = pipeline(
        Stage("a"),
        uncertain("b", "g{run.id}"),
        Stage("c"),
        uncertain("d", "g1")
    )
    private static let hostedForCertain = pipeline(
        Stage("a"),
        uncertain("b", "g0"),
        Stage("c"),
        GateAction("d", signal: "g1")
    )
    /// A run that comes to such a gate of another's signal fails there, and not before.
    private static func uncertain(_ action: ActionID, _ signal: SignalTemplate) -> GateAction {
        GateAction(action, signal: signal) { _ in true }
    }
    /// What follows when an action has failed: two of them park their runs, one gives up.
    static let policies: [ActionID: ActionPolicy] = [
        "a": ActionPolicy(attempts: 2, backoff: .milliseconds(700), onFailure: .park),
        "b": ActionPolicy(onFailure: .park),
        "c": ActionPolicy(attempts: 2, backoff: .milliseconds(200)),
    ]
    static let topics: [Name] = ["a.x", "a.y", "b.x"]
    /// The signals that somebody may ever wait for.
    static let signals: [NamePattern] = ["*"]
    static let retention: Duration = .seconds(40)
    /// The harness gives every worker this one.
    static let cancelGrace: Duration = .seconds(30)

    private static func key(_ number: UInt8) -> AccessPolicy.Key {
        guard let key = try? PublicKey(bytes: [UInt8](repeating: number, count: PublicKey.sizeInBytes)) else {
            fatalError("No key.")
        }
        return key
    }

    static func harness(_ seed: UInt64, _ generator: inout SeededGenerator) -> CoreHarness {
        CoreHarness(
            pipelines: served(seed: seed),
            monitors: monitors,
            limits: limits(&generator, hasKeys: KeyForm(seed) != .none),
            durability: generator.oneIn(3) ? .fsynced : .memory,
            retention: retention,
            signalRetention: .seconds(generator.oneIn(2) ? 25 : 3600),
            signals: signals,
            access: Regime.usual.policy,
            isReady: false
        )
    }

    /// Whether a schedule has a gate to which each run comes: one in eight, because few runs begin where that is so.
    static func hasCertainGates(_ seed: UInt64) -> Bool { seed.isMultiple(of: 8) }

    /// Whether each signal's id matches a gate's template, so that early decisions must be asked for: one schedule in two.
    static func expectsGates(_ seed: UInt64) -> Bool { !seed.isMultiple(of: 2) }

    /// Whether each gate needs several votes and has time for them, and the groups change often: one schedule in four.
    static func isVoting(_ seed: UInt64) -> Bool { seed % 4 == 1 }

    /// The pipelines, as they are defined in this revision; one action of the first may be defined otherwise.
    static func served(revision: String = "", changing action: String? = nil, seed: UInt64) -> [HostedPipeline] {
        let hosted = expectsGates(seed) ? hostedForAny : hasCertainGates(seed) ? hostedForCertain : hosted
        return [
            HostedPipeline(
                "p",
                hosted,
                seeds: seeds,
                slots: 2,
                onePer: KeyForm(seed).rule(of: "p"),
                policies: policies,
                revision: revision,
                revisions: action.map { [ActionID($0): "other"] } ?? [:]
            ),
            HostedPipeline(
                "q",
                hosted,
                seeds: seeds,
                slots: 1,
                onePer: KeyForm(seed).rule(of: "q"),
                priority: 1,
                policies: policies
            ),
        ]
    }

    private static func limits(_ generator: inout SeededGenerator, hasKeys: Bool) -> WorkerLimits {
        var limits = WorkerLimits()
        limits.unfinishedRuns = generator.oneIn(2) ? 3 : 6
        limits.suspendedRuns = generator.oneIn(2) ? 2 : 6
        // Room for one run with a seed, or for three.
        limits.seedsSizeInBytes = generator.oneIn(3) ? 300 : 900
        limits.resultsSizeInBytes = generator.oneIn(3) ? 500 : 5_000
        limits.executingRuns = generator.oneIn(3) ? 3 : 2
        limits.queuedRuns = generator.oneIn(2) ? 1 : 2
        limits.waitingSignals = generator.oneIn(2) ? 2 : 4
        limits.evaluations = 1
        limits.earlyDecisionsPerPrincipal = 1
        limits.decidedSizeInBytes = generator.oneIn(2) ? 50 : 1000
        // More than runs can be parked at once, so that a redrive always finds room in the end.
        limits.requests = generator.oneIn(6) ? 7 : generator.oneIn(3) ? 12 : 48
        // Many more can wait for a key whose run is parked.
        if hasKeys { limits.requests = 48 }
        limits.watches = generator.oneIn(3) ? 1 : 2
        limits.attachedConnections = 2
        limits.outstanding = generator.oneIn(16) ? 1 : 8
        return limits
    }

    private static let monitors = [
        HostedMonitor(
            "m",
            MonitorOrchestrator(),
            topics: ["a.>"],
            debounce: HostedMonitor.Debounce(quiet: .milliseconds(150), maximumWait: .milliseconds(500)),
            timeLimit: .seconds(2)
        ),
        HostedMonitor("n", MonitorOrchestrator(interval: 1.7), topics: [">"], timeLimit: .seconds(6)),
    ]
}
