import ForgeOrchestrator
import Foundation
import Observation
import Testing

// Uses the library as its reference pages show it, and imports nothing else: what stops compiling here would stop
// compiling for the library's users. One long file, because it stands for one user's code over all of the pages.

// MARK: - What the pages' examples assume around them

private struct Post: Sendable, Equatable {
    var title: String
    var isPublished: Bool
}

private enum LaunchStep: String {
    case onboarding, migration
}

/// Stands for the state object through which a view reaches the signal.
@MainActor @Observable
private final class TaskFlowState {
    var onboardingSignal: CompletionSignal?
    var showOnboarding = false
}

/// What the actions below have done, in order.
private final class Trail: @unchecked Sendable {
    private let lock = NSLock()
    private var written: [String] = []

    func write(_ entry: String) {
        lock.lock()
        written.append(entry)
        lock.unlock()
    }

    var entries: [String] {
        lock.lock()
        defer { lock.unlock() }
        return written
    }
}

// MARK: - Action model

private struct ForceUpdateAction: SequenceAction {
    let id: ActionID = "force-update"
    let priority: ActionPriority = .critical
    let trail: Trail
    func shouldRun() async -> Bool { true }
    func execute() async { trail.write("force-update") }
}

private struct OnboardingAction: SequenceAction {
    let id = ActionID(LaunchStep.onboarding)
    let priority: ActionPriority = .high
    let state: TaskFlowState
    let trail: Trail

    func shouldRun() async -> Bool { true }

    func execute() async {
        let signal = CompletionSignal()
        await MainActor.run {
            state.onboardingSignal = signal
            state.showOnboarding = true
        }
        await signal.wait()
        trail.write("onboarding")
    }
}

private struct WhatsNewAction: SequenceAction {
    let id: ActionID = "whats-new"
    let priority: ActionPriority = .medium
    let trail: Trail
    var isDue = true
    func shouldRun() async -> Bool { isDue }
    func execute() async { trail.write("whats-new") }
}

@Suite("The action model page")
struct ActionModelPageTests {
    @Test("makes ids from literals, strings and enums, and uses them as keys")
    func ids() {
        let id = ActionID("onboarding")
        let literal: ActionID = "onboarding"
        var seen: Set<ActionID> = [id]
        #expect(!seen.insert(literal).inserted)
        #expect(ActionID(LaunchStep.onboarding) == id)
        #expect(id.rawValue == "onboarding" && id.description == "onboarding" && "\(id)" == "onboarding")
        #expect(["b", "a", "c"].map { ActionID($0) }.sorted() == ["a", "b", "c"])
        #expect([id: 1][literal] == 1)
    }

    @Test("orders priorities by their raw values, critical first")
    func priorities() {
        #expect(ActionPriority.critical.rawValue == 0 && ActionPriority.high.rawValue == 1)
        #expect(ActionPriority.medium.rawValue == 2 && ActionPriority.low.rawValue == 3)
        #expect(ActionPriority.allCases.sorted(by: >) == [.low, .medium, .high, .critical])
    }

    @Test("encodes an id as its string")
    func coding() throws {
        let encoded = try JSONEncoder().encode(["first": ActionID("a.b")])
        #expect(String(decoding: encoded, as: UTF8.self) == #"{"first":"a.b"}"#)
        #expect(try JSONDecoder().decode([String: ActionID].self, from: encoded) == ["first": "a.b"])
    }

    @MainActor @Test("keeps the first of two actions with one id")
    func duplicates() async {
        let trail = Trail()
        let orchestrator = SequenceOrchestrator()
        orchestrator.register(WhatsNewAction(trail: trail, isDue: false))
        orchestrator.register(WhatsNewAction(trail: trail, isDue: true))
        #expect(await orchestrator.evaluate() == [])
    }
}

// MARK: - Sequences

/// A subclass as an application writes one.
private final class LaunchOrchestrator: SequenceOrchestrator {
    private(set) var launches = 0
    let name: String

    init(name: String) {
        self.name = name
        super.init()
    }

    override func evaluate() async -> [ActionID] {
        launches += 1
        return await super.evaluate()
    }

    override func register(_ action: any SequenceAction) {
        super.register(action)
    }
}

/// A subclass without an initialiser of its own.
private final class PlainSubclass: SequenceOrchestrator {}

@MainActor
@Suite("The sequence orchestrator page")
struct SequencePageTests {
    @Test("runs eligible actions in priority order and returns their ids")
    func basicUsage() async {
        let trail = Trail()
        let orchestrator = SequenceOrchestrator()
        orchestrator.register(WhatsNewAction(trail: trail))
        orchestrator.register(ForceUpdateAction(trail: trail))
        let executed: [ActionID] = await orchestrator.evaluate()
        #expect(executed == ["force-update", "whats-new"])
        #expect(trail.entries == ["force-update", "whats-new"])
    }

    @Test("takes a batch, tears down, and evaluates again without using the result")
    func batch() async {
        let trail = Trail()
        let orchestrator = SequenceOrchestrator()
        orchestrator.register([
            ForceUpdateAction(trail: trail),
            WhatsNewAction(trail: trail),
        ])
        await orchestrator.evaluate()
        orchestrator.removeAll()
        orchestrator.register([WhatsNewAction(trail: trail)])
        await orchestrator.evaluate()
        #expect(trail.entries == ["force-update", "whats-new", "whats-new"])
    }

    @Test("waits for the view that completes the signal, shows its progress, and ignores a second evaluation")
    func signalAndReentrancy() async {
        let trail = Trail()
        let state = TaskFlowState()
        let orchestrator = SequenceOrchestrator()
        orchestrator.register([
            ForceUpdateAction(trail: trail),
            OnboardingAction(state: state, trail: trail),
            WhatsNewAction(trail: trail, isDue: false),
        ])
        #expect(!orchestrator.isProcessing && orchestrator.currentActionId == nil)
        let launch = Task { await orchestrator.evaluate() }
        await untilChanged { state.showOnboarding }
        #expect(orchestrator.isProcessing)
        #expect(orchestrator.currentActionId == "onboarding")
        #expect(orchestrator.eligibleCount == 2 && orchestrator.completedCount == 1)
        #expect(await orchestrator.evaluate() == [])
        #expect(trail.entries == ["force-update"])
        state.onboardingSignal?.complete()
        #expect(await launch.value == ["force-update", "onboarding"])
        #expect(!orchestrator.isProcessing && orchestrator.currentActionId == nil)
        #expect(orchestrator.eligibleCount == 2 && orchestrator.completedCount == 2)
    }

    @Test("can be subclassed in another module")
    func subclassing() async {
        let trail = Trail()
        let orchestrator = LaunchOrchestrator(name: "launch")
        orchestrator.register([WhatsNewAction(trail: trail)])
        #expect(await orchestrator.evaluate() == ["whats-new"])
        #expect(orchestrator.launches == 1)
        #expect(await PlainSubclass().evaluate() == [])
    }

    /// Returns once the property, false now, has become true.
    private func untilChanged(_ property: @MainActor () -> Bool) async {
        await withCheckedContinuation { continuation in
            let isTrue = withObservationTracking(property) { continuation.resume() }
            precondition(!isTrue, "the change has to come later")
        }
    }
}

// MARK: - Pipelines

private struct LoadPostsAction: PipelineAction {
    let id: ActionID = "load-posts"
    let priority: ActionPriority = .high
    var posts: [Post]?

    func shouldRun() async -> Bool { true }

    func execute(context: PipelineContext) async -> ActionResult {
        guard let posts else { return .failed("the server did not answer") }
        context.set("posts", posts)
        return .completed
    }
}

private struct FilterPostsAction: PipelineAction {
    let id: ActionID = "filter-posts"
    let priority: ActionPriority = .medium

    func shouldRun() async -> Bool { true }

    func execute(context: PipelineContext) async -> ActionResult {
        guard let posts: [Post] = context.get("posts") else {
            return .skipped
        }
        let filtered = posts.filter { $0.isPublished }
        context.set("filtered-posts", filtered)
        return .completed
    }
}

private struct ShowBannerAction: PipelineAction {
    let id: ActionID = "show-banner"
    let priority: ActionPriority = .low
    let trail: Trail

    func shouldRun() async -> Bool { true }

    func execute(context: PipelineContext) async -> ActionResult {
        let filtered: [Post]? = context.get("filtered-posts")
        trail.write("banner for \(filtered?.count ?? 0)")
        return .completed
    }
}

private final class FeedPipeline: PipelineOrchestrator {
    override func evaluate() async -> [ActionResult] {
        await super.evaluate()
    }
}

@MainActor
@Suite("The pipeline orchestrator page")
struct PipelinePageTests {
    private let post = Post(title: "One", isPublished: true)
    private let draft = Post(title: "Two", isPublished: false)

    @Test("passes data from action to action and returns results in priority order")
    func basicUsage() async {
        let trail = Trail()
        let pipeline = PipelineOrchestrator()
        pipeline.register(ShowBannerAction(trail: trail))
        pipeline.register(LoadPostsAction(posts: [post, draft]))
        pipeline.register(FilterPostsAction())
        let results: [ActionResult] = await pipeline.evaluate()
        #expect(results == [.completed, .completed, .completed])
        #expect(trail.entries == ["banner for 1"])
        #expect(pipeline.results == results)
        #expect(!pipeline.isProcessing && pipeline.currentActionId == nil)
        #expect(pipeline.eligibleCount == 3 && pipeline.completedCount == 3)
    }

    @Test("does not short-circuit, and its results are told apart by their case")
    func failure() async {
        let trail = Trail()
        let pipeline = FeedPipeline()
        pipeline.register([LoadPostsAction(posts: nil), FilterPostsAction(), ShowBannerAction(trail: trail)])
        let lines = await pipeline.evaluate().map { result in
            switch result {
            case .completed: "Action completed"
            case .skipped: "Action skipped"
            case .failed(let reason): "Action failed: \(reason)"
            }
        }
        #expect(lines == ["Action failed: the server did not answer", "Action skipped", "Action completed"])
        #expect(trail.entries == ["banner for 0"])
    }

    @Test("begins every evaluation with a fresh context")
    func freshContext() async {
        struct Leak: PipelineAction {
            let id: ActionID = "leak"
            let priority: ActionPriority = .low
            func shouldRun() async -> Bool { true }
            func execute(context: PipelineContext) async -> ActionResult {
                let earlier: Bool? = context.get("was-here")
                context.set("was-here", true)
                return earlier == nil ? .completed : .failed("data leaked between runs")
            }
        }
        let pipeline = PipelineOrchestrator()
        pipeline.register(Leak())
        #expect(await pipeline.evaluate() == [.completed])
        #expect(await pipeline.evaluate() == [.completed])
    }

    @Test("has a context that is typed by what is read")
    func contextAPI() {
        let context = PipelineContext()
        context.set("posts", [post, post, draft])
        context.set("filter-count", 42)
        let posts: [Post]? = context.get("posts")
        let count: Int? = context.get("filter-count")
        let wrong: String? = context.get("filter-count")
        let missing: Int? = context.get("missing")
        #expect(posts?.count == 3 && count == 42 && wrong == nil && missing == nil)
        context.remove("posts")
        let removed: [Post]? = context.get("posts")
        #expect(removed == nil)
    }
}

// MARK: - Monitors

private final class TermsExpiredAction: MonitorAction {
    let id: ActionID = "terms-expired"
    let priority: ActionPriority = .critical
    let trail: Trail
    let presented: CompletionSignal?

    init(trail: Trail, presented: CompletionSignal? = nil) {
        self.trail = trail
        self.presented = presented
    }

    func shouldRun() async -> Bool {
        trail.write("asked")
        return true
    }

    func execute() async {
        trail.write("executed")
        presented?.complete()
    }
}

private final class PolicyMonitor: MonitorOrchestrator {
    private(set) var cycles = 0

    override func reevaluate() async {
        cycles += 1
        await super.reevaluate()
    }
}

@MainActor
@Suite("The monitor orchestrator page")
struct MonitorPageTests {
    @Test("re-evaluates on demand")
    func onDemand() async {
        let trail = Trail()
        let monitor = MonitorOrchestrator()
        monitor.register(TermsExpiredAction(trail: trail))
        monitor.start()
        await monitor.reevaluate()
        await monitor.reevaluate()
        monitor.stop()
        monitor.stop()
        #expect(trail.entries == ["asked", "executed", "asked", "executed"])
        #expect(!monitor.isProcessing && monitor.currentActionId == nil)
    }

    @Test("skips whole cycles while an excluded screen shows")
    func excludedScreens() async {
        let trail = Trail()
        let monitor = MonitorOrchestrator()
        monitor.register([TermsExpiredAction(trail: trail)])
        monitor.setExcludedScreens(["Checkout", "Payment", "VideoCall"])
        monitor.updateCurrentScreen("Feed")
        await monitor.reevaluate()
        #expect(trail.entries.count == 2)
        monitor.updateCurrentScreen("Checkout")
        await monitor.reevaluate()
        #expect(monitor.isExcluded && trail.entries.count == 2)
        monitor.updateCurrentScreen("Feed")
        await monitor.reevaluate()
        #expect(trail.entries.count == 4)
        monitor.updateCurrentScreen("Payment")
        monitor.updateCurrentScreen(nil)
        await monitor.reevaluate()
        #expect(!monitor.isExcluded && trail.entries.count == 6)
    }

    @Test("ticks with an interval of a tenth of a second and of 300 seconds")
    func interval() async {
        let trail = Trail()
        let presented = CompletionSignal()
        let monitor = MonitorOrchestrator(interval: 0.1)
        monitor.register(TermsExpiredAction(trail: trail, presented: presented))
        monitor.start()
        await presented.wait()
        monitor.stop()
        #expect(trail.entries.prefix(2) == ["asked", "executed"])
        let seconds: TimeInterval = 300
        MonitorOrchestrator(interval: seconds).stop()
        MonitorOrchestrator(interval: 300).stop()
    }

    @Test("forgets its actions, and can be subclassed")
    func removeAllAndSubclass() async {
        let trail = Trail()
        let monitor = PolicyMonitor(interval: 300)
        monitor.register(TermsExpiredAction(trail: trail))
        monitor.removeAll()
        await monitor.reevaluate()
        #expect(trail.entries.isEmpty && monitor.cycles == 1)
    }
}

// MARK: - Signals

@Suite("The completion signal page")
struct SignalPageTests {
    @Test("resumes the waiter from a detached task")
    func detached() async {
        let signal = CompletionSignal()
        Task.detached {
            signal.complete()
        }
        await signal.wait()
    }

    @Test("returns at once when it was completed before, however often")
    func early() async {
        let signal = CompletionSignal()
        signal.complete()
        signal.complete()
        await signal.wait()
        await signal.wait()
        #expect(signal.isCompleted)
    }
}
