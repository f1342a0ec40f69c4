import BenchActions
import ForgeOrchestrator
import Observation

/// The samples of one measure from the same process: of this library, and of a plain design such as ``PlainSequence``.
struct OrchestratorComparison {
    let name: String
    /// How many times faster than the plain design this library must be.
    let target: Double
    /// The time of one evaluation or read in nanoseconds, one sample for each pair.
    var ours: [Double] = []
    var plain: [Double] = []

    /// How many times faster this library was in each pair, in ascending order.
    var ratios: [Double] { zip(plain, ours).map { $0 / $1 }.sorted() }
    var medianRatio: Double { ratios[ratios.count / 2] }
    var holds: Bool { medianRatio >= target }
}

/// Compares `evaluate()` and `run` over ten trivial actions, and reads of a context, with the plain design.
///
/// - Parameters:
///   - pairs: The number of pairs: each has one sample of this library and one of the plain design. The table shows the
///     median and the spread.
///   - evaluations: How many evaluations one sample contains; the sample is their average.
/// - Returns: One comparison for each measure.
@MainActor
func measureOrchestrators(pairs: Int = 5, evaluations: Int = 3_000) async -> [OrchestratorComparison] {
    var unobserved = OrchestratorComparison(name: "evaluate() of 10 actions, unobserved", target: 8)
    var observed = OrchestratorComparison(name: "evaluate() of 10 actions, observed", target: 6)
    var run = OrchestratorComparison(name: "run() of 10 actions, from Swift's pool", target: 30)
    for pair in 0...pairs {
        let samples = await measurePair(evaluations)
        // The first pair warms up.
        guard pair > 0 else { continue }
        unobserved.add(samples.unobserved)
        observed.add(samples.observed)
        run.add(samples.run)
    }
    return [unobserved, observed, run] + measureContextReads()
}

private typealias Sample = (ours: Double, plain: Double)

@MainActor
private func measurePair(_ evaluations: Int) async -> (unobserved: Sample, observed: Sample, run: Sample) {
    let ours = SequenceOrchestrator()
    ours.register(BenchActions.sequence())
    let plain = PlainSequence(BenchActions.sequence())
    let unobserved = (
        ours: await time(evaluations) { check(await ours.evaluate().count) },
        plain: await time(evaluations) { check(await plain.evaluate().count) }
    )
    let observed = await measureObserved(evaluations)
    let pipeline = PipelineOrchestrator()
    pipeline.register(BenchActions.pipeline())
    let plainPipeline = PlainPipeline(BenchActions.pipeline())
    let run = (
        ours: await timeOffMain(evaluations) { check(await pipeline.run().actions.count) },
        plain: await time(evaluations) { check(await plainPipeline.evaluate().count) }
    )
    return (unobserved, observed, run)
}

@MainActor
private func measureObserved(_ evaluations: Int) async -> Sample {
    let ours = SequenceOrchestrator()
    ours.register(BenchActions.sequence())
    let ourObserver = Observer {
        (ours.isProcessing, ours.currentActionId, ours.eligibleCount, ours.completedCount)
    }
    let ourTime = await time(evaluations) { check(await ours.evaluate().count) }
    let plain = PlainSequence(BenchActions.sequence())
    let plainObserver = Observer {
        (plain.isProcessing, plain.currentActionId, plain.eligibleCount, plain.completedCount)
    }
    let plainTime = await time(evaluations) { check(await plain.evaluate().count) }
    guard ourObserver.notices >= evaluations, plainObserver.notices >= evaluations else {
        fatalError(
            "an observer missed evaluations: of \(evaluations), it noticed \(ourObserver.notices) with this library "
                + "and \(plainObserver.notices) with the plain design"
        )
    }
    return (ourTime, plainTime)
}

/// Reads all properties of an orchestrator, and reads them again after each change, as a view does.
@MainActor
private final class Observer {
    typealias Reading = (Bool, ActionID?, Int, Int)

    private let read: @MainActor () -> Reading
    private(set) var latest: Reading
    private(set) var notices = 0

    init(_ read: @escaping @MainActor () -> Reading) {
        self.read = read
        latest = read()
        arm()
    }

    private func arm() {
        latest = withObservationTracking(read) {
            Task { @MainActor in
                self.notices += 1
                self.arm()
            }
        }
    }
}

extension OrchestratorComparison {
    mutating func add(_ sample: (ours: Double, plain: Double)) {
        ours.append(sample.ours)
        plain.append(sample.plain)
    }
}

private func check(_ executed: Int) {
    guard executed == 10 else { fatalError("an evaluation executed \(executed) of 10 actions") }
}

/// The average time of one call from the main actor, in nanoseconds.
@MainActor
private func time(_ count: Int, _ body: @MainActor () async -> Void) async -> Double {
    let start = ContinuousClock.now
    for _ in 0..<count { await body() }
    return (ContinuousClock.now - start) / .nanoseconds(count)
}

/// The average time of one call from Swift's pool, in nanoseconds.
@concurrent
private func timeOffMain(_ count: Int, _ body: @Sendable () async -> Void) async -> Double {
    let start = ContinuousClock.now
    for _ in 0..<count { await body() }
    return (ContinuousClock.now - start) / .nanoseconds(count)
}
