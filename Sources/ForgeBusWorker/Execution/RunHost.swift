public import ForgeBusProtocol
import ForgeLocks
public import ForgeOrchestrator

/// Stands between a run and its actions: suspends the run, without a task, at a gate or a failed action.
final class RunHost: PipelineHost {
    /// Guarded: actions read the attempt from any thread.
    private struct State {
        /// The number of this attempt at the current action, from 1, as the action's policy counts.
        var attempt = 1
        /// How many earlier attempts the policy does not count.
        var earlierAttempts = 0
        /// How many unrecorded attempts there may have been at each later action.
        var unrecorded = 0
        /// The outcome of the suspension, for the action that resumes.
        var answer: RunStart.Answer?
        /// Why the run is suspended; nil if it is not.
        var rest: RunRest.Kind?
        /// The run's age when the action at which it was last suspended began.
        var restBegan: Duration?
        /// Whether a listener follows the run.
        var isFollowed = false
        /// The steps that the loop has not taken yet.
        var steps: [RunStep] = []
        /// Whether the run has finished, and its end reports everything that its steps report.
        var isOver = false
    }

    let run: Name
    let loop: any WorkSupervisor
    private let policies: [ActionID: ActionPolicy]
    /// Removes the values of the run's secret seeds; nil if it has none.
    let mask: SecretMask?
    private let began: ContinuousClock.Instant
    /// Whether an earlier worker started the run.
    let isResumed: Bool
    private let state = Guarded(State())

    /// Hosts a run with these seeds, which an earlier worker started `age` ago; nil for a run that starts now.
    init(
        _ run: Name,
        of pipeline: HostedPipeline,
        seeds: [String: any Sendable] = [:],
        on loop: any WorkSupervisor,
        age: Duration? = nil
    ) {
        self.run = run
        mask = pipeline.hasSecrets ? SecretMask(pipeline.seeds, seeds) : nil
        self.loop = loop
        policies = pipeline.policies
        began = loop.instant - (age ?? .zero)
        isResumed = age != nil
    }

    /// The time since the run first started.
    var age: Duration { loop.instant - began }

    /// Starts the run, or resumes it where it was suspended.
    func begin(_ start: RunStart) {
        state.withLock { state in
            state.isFollowed = start.tellsTransitions
            state.attempt = start.resumption?.attempt ?? 1
            (state.earlierAttempts, state.unrecorded) = (start.earlierAttempts, start.unrecorded)
            state.answer = start.resumption?.answer
            state.rest = nil
        }
    }

    /// A listener follows the run from now on.
    func follow() { state.withLock { $0.isFollowed = true } }

    var hearsTransitions: Bool { state.withLock { $0.isFollowed } }

    /// Adds a step of the run; the first one makes the loop take all steps that wait.
    func tell(_ transition: PipelineTransition, _ values: RunValues = RunValues()) {
        let isFirst = state.withLock { state in
            state.steps.append(RunStep(transition: transition, values: values))
            return state.steps.count == 1
        }
        if isFirst { loop.report(.wentOn(self)) }
    }

    /// Marks a run that was never suspended as finished; the loop is about to get its whole outcome.
    func end() { state.withLock { $0.isOver = true } }

    /// Whether the run has finished, and its end reports everything that its steps report.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Takes the waiting steps, and returns whether only the run's end comes after them.
    func takeSteps() -> (list: [RunStep], areOver: Bool) {
        state.withLock { (exchange(&$0.steps, with: []), $0.isOver) }
    }

    /// Why the run is suspended; nil if the run has finished.
    var rest: RunRest.Kind? { state.withLock { $0.rest } }

    /// The run's age when the action at which it was last suspended began.
    var restBegan: Duration? { state.withLock { $0.restBegan } }

    /// The number of this attempt at the current action, from 1: above those of all earlier ones.
    var attempt: Int { state.withLock { $0.attempt + $0.earlierAttempts } }

    /// Whether the host must execute this action: true for gates, for actions with a policy, and in a simulation for
    /// all.
    func standsBefore(_ action: any PipelineAction) -> Bool {
        isResumed || type(of: action) == GateAction.self || !policies.isEmpty && policies[action.id] != nil
            || loop.simulation != nil
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
        } else if let simulation = loop.simulation {
            result = await simulation.execute(action, in: context)
        } else {
            result = await action.execute(context: context)
        }
        // The worker's core decides whether it is tried again.
        if case .failed(let reason) = result, policies[action.id] != nil, !Task.isCancelled {
            return leave(.failed(reason: reason))
        }
        return end(with: result)
    }

    /// Ends the action; attempts at the next one are counted from 1.
    private func end(with result: ActionResult) -> ActionResult {
        state.withLock { ($0.attempt, $0.earlierAttempts) = (1, $0.unrecorded) }
        return result
    }

    /// The gate's result if its wait is over or not needed; otherwise suspends the run at the gate.
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
            let signal = try gate.signal.signal(for: context)
            let message = gate.message?.filled(from: context)
            return leave(.gate(signal, rule: gate.rule, deadline: gate.deadline, message: message))
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
    /// The id of the run that this context belongs to; nil outside a worker.
    public var runID: RunID? { runHost.map { RunID($0.run) } }

    /// A token that identifies the current action's effect: the same for each attempt, different for other actions and
    /// runs.
    ///
    /// An action may execute again, because it failed or because the worker died; the receiver of its effect can
    /// recognise a repetition by this token. The token is nil outside a worker, and between actions.
    public var actionToken: String? {
        guard let run = runID, let action = currentActionID else { return nil }
        return "\(run)/\(action)"
    }

    /// The number of this attempt at the current action, from 1; higher than the number of every earlier attempt.
    ///
    /// Attempts during which the worker died count, and so do those before a redrive. It is not known exactly how far a
    /// dead worker came, so numbers may be skipped; number 1 is always the first attempt. Outside a worker the number
    /// is 1.
    public var attempt: Int { runHost?.attempt ?? 1 }

    /// Whether an earlier worker started this run, and this worker resumed it.
    ///
    /// If so, the current action may have had its effect before: ``actionToken`` is the same, ``attempt`` is higher.
    public var isResumed: Bool { runHost?.isResumed ?? false }

    var runHost: RunHost? { host as? RunHost }
}
