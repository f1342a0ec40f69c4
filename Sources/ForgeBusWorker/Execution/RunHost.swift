public import ForgeBusProtocol
import ForgeLocks
public import ForgeOrchestrator

/// Stands between a run and its actions: lets the run rest, without a task, at a gate and at an action that failed.
final class RunHost: PipelineHost {
    /// Guarded: actions ask for the attempt from any thread.
    private struct State {
        /// Which attempt of the current action this is, from 1, of those that its policy counts.
        var attempt = 1
        /// How many attempts at the current action came before these.
        var earlierAttempts = 0
        /// How many there may have been at each action behind it.
        var unrecorded = 0
        /// What the rest ended with at the action that is taken up first.
        var answer: RunStart.Answer?
        /// Where the run is left.
        var rest: RunRest.Kind?
        /// How old the run was when the action was taken up at which it was left last.
        var restBegan: Duration?
        /// Whether somebody wants to hear how the run goes.
        var isFollowed = false
        /// What the run did and the loop has not taken yet.
        var steps: [RunStep] = []
        /// Whether the run is through, and its end tells what its steps tell.
        var isOver = false
    }

    let run: RunID
    let loop: any WorkSupervisor
    private let policies: [ActionID: ActionPolicy]
    private let began: ContinuousClock.Instant
    /// Whether an earlier worker took the run up.
    let isResumed: Bool
    private let state = Guarded(State())

    /// Stands in a run that was taken up so long ago; nil unless an earlier worker took it up.
    init(_ run: RunID, of pipeline: HostedPipeline, on loop: any WorkSupervisor, age: Duration? = nil) {
        self.run = run
        self.loop = loop
        policies = pipeline.policies
        began = ContinuousClock.now - (age ?? .zero)
        isResumed = age != nil
    }

    /// How long ago the run was taken up first.
    var age: Duration { ContinuousClock.now - began }

    /// The run is taken up, at its beginning or where it rested.
    func begin(_ start: RunStart) {
        state.withLock { state in
            state.isFollowed = start.tellsTransitions
            state.attempt = start.resumption?.attempt ?? 1
            (state.earlierAttempts, state.unrecorded) = (start.earlierAttempts, start.unrecorded)
            state.answer = start.resumption?.answer
            state.rest = nil
        }
    }

    /// Somebody wants to hear how the run goes.
    func follow() { state.withLock { $0.isFollowed = true } }

    var hearsTransitions: Bool { state.withLock { $0.isFollowed } }

    /// The run did a step: the loop is told that there are some, and takes all that there are when it looks.
    func tell(_ transition: PipelineTransition, _ values: RunValues = RunValues()) {
        let isFirst = state.withLock { state in
            state.steps.append(RunStep(transition: transition, values: values))
            return state.steps.count == 1
        }
        if isFirst { loop.report(.wentOn(self)) }
    }

    /// The run is through in one stretch, and the loop is about to be told all that came of it.
    func end() { state.withLock { $0.isOver = true } }

    /// Whether the run is through, and its end tells what its steps tell.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// What the loop has not taken yet, and whether nothing comes behind it but the end.
    func takeSteps() -> (list: [RunStep], areOver: Bool) {
        state.withLock { (exchange(&$0.steps, with: []), $0.isOver) }
    }

    /// Where the run is left; nil if it is through.
    var rest: RunRest.Kind? { state.withLock { $0.rest } }

    /// How old the run was when the action was taken up at which it was left last.
    var restBegan: Duration? { state.withLock { $0.restBegan } }

    /// The number of this attempt at the current action, from 1: above those of all earlier ones.
    var attempt: Int { state.withLock { $0.attempt + $0.earlierAttempts } }

    /// Most actions are none at which a run can be left.
    func standsBefore(_ action: any PipelineAction) -> Bool {
        isResumed || type(of: action) == GateAction.self || !policies.isEmpty && policies[action.id] != nil
    }

    nonisolated(nonsending) func execute(_ action: any PipelineAction, in context: PipelineContext) async
        -> ActionResult?
    {
        let begin = age
        let answer = takeAnswer(for: action.id)
        if answer == nil { state.withLock { $0.restBegan = begin } }
        if case .failed(let reason) = answer?.outcome { return end(with: .failed(reason)) }
        let result: ActionResult
        if let gate = action as? GateAction {
            guard let decided = await pass(gate, answer, in: context) else { return nil }
            result = decided
        } else {
            result = await action.execute(context: context)
        }
        // The worker's core decides whether it is tried again.
        if case .failed(let reason) = result, policies[action.id] != nil, !Task.isCancelled {
            return leave(.failed(reason: reason))
        }
        return end(with: result)
    }

    /// The action has ended: attempts at the next one are counted anew.
    private func end(with result: ActionResult) -> ActionResult {
        state.withLock { ($0.attempt, $0.earlierAttempts) = (1, $0.unrecorded) }
        return result
    }

    /// What comes of a gate: at once what its rest ended with, otherwise the run is left at it.
    private nonisolated(nonsending) func pass(
        _ gate: GateAction,
        _ answer: RunStart.Answer?,
        in context: PipelineContext
    ) async
        -> ActionResult?
    {
        switch answer?.outcome {
        case .decided(let decision): return gate.result(of: decision, in: context)
        case .refused(let error): return .failed(error.description)
        case .registered, .proceed, .failed, nil: guard await gate.isNeeded(in: context) else { return .completed }
        }
        do throws(BusError) {
            return leave(.gate(try gate.signal.signal(for: context), rule: gate.rule, deadline: gate.deadline))
        } catch {
            return .failed(error.description)
        }
    }

    private func leave(_ kind: RunRest.Kind) -> ActionResult? {
        state.withLock { $0.rest = kind }
        return nil
    }

    private func takeAnswer(for action: ActionID) -> RunStart.Answer? {
        state.withLock { state in
            guard let answer = state.answer, answer.action == action.rawValue else { return nil }
            state.answer = nil
            return answer
        }
    }
}

extension PipelineContext {
    /// The id of the run this context belongs to; nil outside a worker.
    public var runID: RunID? { runHost?.run }

    /// What makes the current action's effect single: the same for each attempt at it, and for no other action or run.
    ///
    /// An action may be executed again, because it failed or because the worker died; whoever takes its effect can tell
    /// by the token that it has it already. Nil outside a worker, and between actions.
    public var actionToken: String? {
        guard let run = runID, let action = currentActionID else { return nil }
        return "\(run)/\(action)"
    }

    /// The number of this attempt at the current action, from 1; it is higher than that of any other attempt before it.
    ///
    /// Attempts that a worker did not survive count, and those before a redrive. How far a worker came that died is not
    /// known for certain, so that numbers may be left out: what has the number 1 is the first attempt.
    public var attempt: Int { runHost?.attempt ?? 1 }

    /// Whether an earlier worker took this run up, and this one goes on with it.
    ///
    /// The action under way may then have had its effect before: ``actionToken`` is the same, ``attempt`` is higher.
    public var isResumed: Bool { runHost?.isResumed ?? false }

    var runHost: RunHost? { host as? RunHost }
}
