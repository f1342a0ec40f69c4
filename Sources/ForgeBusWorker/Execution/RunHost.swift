public import ForgeBusProtocol
import ForgeLocks
public import ForgeOrchestrator

/// Executes actions for a run, and decides where the run is suspended; a suspension ends the run's task.
///
/// A run is suspended at a gate, at an action that requests a run, and when an action with a policy has failed.
final class RunHost: PipelineHost {
    /// The mutable state of the host, guarded by a lock because actions read the attempt from any thread.
    private struct State {
        /// The number of this attempt at the current action, from 1, as the action's policy counts attempts.
        var attempt = 1
        /// How many earlier attempts at the current action the policy does not count.
        var earlierAttempts = 0
        /// How many unrecorded attempts there may have been at each later action.
        var unrecorded = 0
        /// The outcome that ended the suspension; nil without a suspension, and after the resumed action has taken it.
        var answer: RunStart.Answer?
        /// Why the run is suspended; nil if the run is not suspended.
        var rest: RunRest.Kind?
        /// The run's age when the latest action first began; nil until the host begins an action.
        var restBegan: Duration?
        /// Whether a listener follows the run.
        var isFollowed = false
        /// The steps of the run that the worker's loop has not taken yet.
        var steps: [RunStep] = []
        /// Whether the run has finished without a suspension; the report of its end then includes all waiting steps.
        var isOver = false
    }

    let run: Name
    /// The W3C trace context of the request that began the run, not checked; nil without one.
    let traceparent: String?
    let loop: any WorkSupervisor
    private let policies: [ActionID: ActionPolicy]
    /// Removes the values of the run's secret seeds from texts; nil if no secret seed has a value.
    let mask: SecretMask?
    private let began: ContinuousClock.Instant
    /// Whether an earlier worker started the run.
    let isResumed: Bool
    private let state = Guarded(State())

    /// Creates the host of a run.
    ///
    /// - Parameters:
    ///   - start: The start of the run, from whose values the host learns the secrets.
    ///   - pipeline: The pipeline of the run.
    ///   - loop: The worker's loop, which gets the reports of the run.
    ///   - age: How long ago an earlier worker started the run; nil for a run that this worker starts.
    init(_ start: RunStart, of pipeline: HostedPipeline, on loop: any WorkSupervisor, age: Duration? = nil) {
        (run, traceparent) = (start.run, start.traceparent)
        mask = pipeline.hasSecrets ? SecretMask(pipeline.seeds, start.values) : nil
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

    /// Records that a listener follows the run from now on.
    func follow() { state.withLock { $0.isFollowed = true } }

    var hearsTransitions: Bool { state.withLock { $0.isFollowed } }

    /// Adds a step of the run; if no other step waits, tells the worker's loop to take the steps.
    func tell(_ transition: PipelineTransition, _ values: RunValues = RunValues()) {
        let isFirst = state.withLock { state in
            state.steps.append(RunStep(transition: transition, values: values))
            return state.steps.count == 1
        }
        if isFirst { loop.report(.wentOn(self)) }
    }

    /// Marks the run as finished without a suspension, just before the loop gets the report of its end.
    func end() { state.withLock { $0.isOver = true } }

    /// Whether the run has finished without a suspension; the report of its end then includes all waiting steps.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Takes the waiting steps; `areOver` says whether only the run's end follows them.
    func takeSteps() -> (list: [RunStep], areOver: Bool) {
        state.withLock { (exchange(&$0.steps, with: []), $0.isOver) }
    }

    /// Reports what this attempt at the current action printed.
    func report(printed output: PrintedText, _ errors: PrintedText, _ result: ActionResult, of action: ActionID) {
        func masked(_ stream: PrintedText) -> PrintedText {
            let text = mask?.masked(stream.text) ?? stream.text
            let cut = PrintedText(endOf: Array(text.utf8))
            return PrintedText(cut.text, omittedBytes: stream.omittedBytes + cut.omittedBytes)
        }
        let failure: String? = if case .failed(let reason) = result { reason } else { nil }
        let printed = PrintedOutput(
            action: action.rawValue,
            attempt: attempt,
            output: masked(output),
            errors: masked(errors),
            failure: failure.map { mask?.masked($0) ?? $0 }
        )
        loop.report(.printed(run, printed))
    }

    /// Why the run is suspended; nil if the run has finished.
    var rest: RunRest.Kind? { state.withLock { $0.rest } }

    /// The run's age when the latest action first began; nil until the host begins an action.
    var restBegan: Duration? { state.withLock { $0.restBegan } }

    /// The number of this attempt at the current action, from 1; higher than the numbers of all earlier attempts.
    var attempt: Int { state.withLock { $0.attempt + $0.earlierAttempts } }

    /// Whether the host must execute this action.
    ///
    /// The host executes all gates, all actions that request runs, and all other actions with a policy. In a
    /// simulation, and in a run that an earlier worker started, it executes every action.
    func standsBefore(_ action: any PipelineAction) -> Bool {
        isResumed || type(of: action) == GateAction.self || type(of: action) == RequestAction.self
            || !policies.isEmpty && policies[action.id] != nil || loop.simulation != nil
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
        } else if let request = action as? RequestAction {
            guard let ended = await self.request(request, answer, in: context) else { return nil }
            result = ended
        } else if let simulation = loop.simulation {
            result = await simulation.execute(action, in: context)
        } else {
            result = await action.execute(context: context)
        }
        // The worker's core decides whether the action is tried again.
        if case .failed(let reason) = result, policies[action.id] != nil, !Task.isCancelled {
            return leave(.failed(reason: reason))
        }
        return end(with: result)
    }

    /// Ends the action; attempts at the next action are counted from 1.
    private func end(with result: ActionResult) -> ActionResult {
        state.withLock { ($0.attempt, $0.earlierAttempts) = (1, $0.unrecorded) }
        return result
    }

    /// Executes a gate: suspends the run there, unless the gate has a result already.
    ///
    /// The gate has a result if it is decided, if it is not needed, or if it cannot be opened.
    ///
    /// - Returns: The result; nil if the run is suspended.
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
        case .registered, .proceed, .failed, .requested, .ended, nil:
            guard await gate.isNeeded(in: context) else { return .completed }
        }
        do throws(BusError) {
            let signal = try gate.signal.signal(for: context)
            let message = gate.message?.filled(from: context)
            return leave(.gate(signal, rule: gate.rule, deadline: gate.deadline, message: message))
        } catch {
            return .failed(error.description)
        }
    }

    /// Executes an action that requests a run: suspends this run there, unless the request has a result already.
    ///
    /// - Returns: The result; nil if the run is suspended.
    private nonisolated(nonsending) func request(
        _ action: RequestAction,
        _ answer: RunStart.Answer?,
        in context: PipelineContext
    ) async -> ActionResult? {
        switch answer?.outcome {
        case .requested(let run):
            context.set(action.key, run.text)
            return .completed
        case .ended(let result): return action.result(of: result, in: context)
        case .refused(let error):
            return .failed(error.reason(ofNoRunOf: action.pipeline))
        case .decided(let decision): return ActionResult(ActionOutcome.Result(decision))
        case .registered, .proceed, .failed, nil: break
        }
        guard await action.isNeeded(in: context) else { return .skipped }
        return leave(.request(action.order(in: context)))
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

    /// The W3C trace context of the request that began the run, well formed; nil without one.
    ///
    /// A run that an earlier worker began has none.
    public var traceparent: String? { runHost?.traceparent.flatMap(TraceContext.checked) }

    /// A token that identifies the effect of the current action of this run; nil outside a worker and between actions.
    ///
    /// The token is the same for each attempt, and different for other actions and other runs. An action may execute
    /// again, because it failed or because the worker died. The receiver of the action's effect can recognise a
    /// repetition by this token.
    public var actionToken: String? {
        guard let run = runID, let action = currentActionID else { return nil }
        return "\(run)/\(action)"
    }

    /// The number of the take-over with which this process got the worker; each later take-over has a higher number.
    ///
    /// The number is nil if no other process can take over the worker's store, and outside a worker.
    ///
    /// Two processes may execute the same action at the same time, with the same ``actionToken``, if the system suspended
    /// one of them. The receiver of the action's effect can detect this: it keeps the highest epoch that it has seen for
    /// the worker, and refuses an effect with a lower epoch.
    public var epoch: Int64? { runHost?.loop.lease?.epoch }

    /// The number of this attempt at the current action, from 1; higher than the number of every earlier attempt.
    ///
    /// Attempts during which the worker died count, and so do attempts before a redrive. A worker does not know exactly
    /// which attempts a dead worker began, so numbers may be skipped. Number 1 is always the first attempt. Outside a
    /// worker the number is 1.
    public var attempt: Int { runHost?.attempt ?? 1 }

    /// Whether an earlier worker started this run, and this worker resumed it.
    ///
    /// If so, the current action may have had its effect before. Its ``actionToken`` is the same as then, and
    /// ``attempt`` is higher.
    public var isResumed: Bool { runHost?.isResumed ?? false }

    /// Stores what this attempt at the current action printed, for `forgebus logs`.
    ///
    /// An action calls this method once for each attempt, when the attempt ends. The worker keeps at most the last
    /// 64 KiB of each stream, without the values of secret seeds. The method stores nothing outside a worker, on a
    /// worker without a store, between actions, and if nothing was printed.
    ///
    /// - Parameters:
    ///   - output: The end of the standard output.
    ///   - errors: The end of the standard error.
    ///   - result: The result of the attempt; the reason of a failure is kept, too.
    public func keepPrinted(
        output: PrintedText,
        errors: PrintedText = PrintedText(""),
        result: ActionResult = .completed
    ) {
        guard !output.isEmpty || !errors.isEmpty, let action = currentActionID else { return }
        runHost?.report(printed: output, errors, result, of: action)
    }

    var runHost: RunHost? { host as? RunHost }
}
