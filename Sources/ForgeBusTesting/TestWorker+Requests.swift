public import ForgeBusProtocol
import ForgeBusWorker

extension TestWorker {
    /// Requests a run of a pipeline, and waits until the worker has settled.
    ///
    /// - Parameters:
    ///   - pipeline: The name of the pipeline.
    ///   - seeds: The values that the run's context begins with.
    ///   - id: The request's id; a second request with the same id returns the same run. Nil makes a new id.
    ///   - deadline: How long the run may take by the worker's clock, including its waits, but not the time in which it
    ///     is parked; nil means no limit.
    ///   - principal: The name of the principal who sends the request; nil means `local`.
    /// - Returns: The run, which may already have ended.
    /// - Throws: `BusError` if the worker refuses the request, or an error that ``advance(by:)`` throws.
    public func run(
        _ pipeline: PipelineName,
        seeds: JSONObject = [:],
        id: RequestID? = nil,
        deadline: Duration? = nil,
        by principal: String? = nil
    ) async throws -> TestRun {
        let request = RunRequest(pipeline: try pipeline.name, seeds: seeds, isDetached: true, deadline: deadline)
        switch try await ask(.run(request), id: id, by: principal) {
        case .accepted(let acceptance):
            guard let run = acceptance.run else { break }
            return TestRun(id: run, pipeline: pipeline, worker: self)
        case .result(let result): return TestRun(id: result.run, pipeline: pipeline, worker: self)
        case .welcome, .progress, .evaluated, .verdict, .ok, .shown, .page, .event, .pong, .error: break
        }
        throw Errors.unexpectedAnswer(to: "RUN")
    }

    /// Notifies the worker of a change on a topic, and waits until the worker has settled.
    ///
    /// Cycles that can begin immediately have ended when the call returns. A cycle that waits for the monitor's minimum
    /// gap or debounce begins only when the test moves the clock: call ``advance(by:)``.
    ///
    /// - Parameters:
    ///   - topic: The topic of the change.
    ///   - principal: The name of the principal who sends the request; nil means `local`.
    /// - Returns: The number of monitors that follow the topic.
    /// - Throws: `BusError` if the worker refuses the request, or an error that ``advance(by:)`` throws.
    @discardableResult
    public func notify(_ topic: Topic, by principal: String? = nil) async throws -> Int {
        guard case .accepted(let acceptance) = try await ask(.notify(StateChange(topic: try topic.name)), by: principal)
        else {
            throw Errors.unexpectedAnswer(to: "NOTIFY")
        }
        return acceptance.monitors ?? 0
    }

    /// Returns how many cycles of a monitor have ended since the current worker started.
    ///
    /// - Throws: `BusError` with code `unknown_monitor`.
    public func cycles(of monitor: Name) async throws -> Int {
        Int(try await life.bus.item(ShowRequest(.monitor, monitor))["cycles"]?.integer ?? 0)
    }

    /// Completes a signal or approves a gate now, and waits until the worker has settled.
    ///
    /// - Parameters:
    ///   - signal: The id of the signal or gate.
    ///   - value: The value for the waiting run; nil for none.
    ///   - keep: How long the worker keeps the decision if nothing waits for the signal yet. With zero, the worker does
    ///     not keep it. With nil, the worker keeps a completion of a plain signal for 24 hours, and does not keep an
    ///     approval of a gate.
    ///   - principal: The name of the principal who decides; nil means `local`.
    /// - Returns: The worker's verdict about the decision.
    /// - Throws: `BusError` if the worker refuses the request, or an error that ``advance(by:)`` throws.
    @discardableResult
    public func complete(
        _ signal: SignalID,
        value: JSONValue? = nil,
        keeping keep: Duration? = nil,
        by principal: String? = nil
    ) async throws -> Verdict {
        try await decided(signal, .approve(value), keeping: keep, by: principal)
    }

    /// Rejects a gate now, and waits until the worker has settled.
    ///
    /// - Parameters:
    ///   - signal: The id of the gate.
    ///   - reason: The reason of the rejection; may be empty.
    ///   - keep: How long the worker keeps the rejection if no gate waits yet. With nil or zero, the worker does not
    ///     keep it.
    ///   - principal: The name of the principal who decides; nil means `local`.
    /// - Returns: The worker's verdict about the decision.
    /// - Throws: `BusError` if the worker refuses the request, or an error that ``advance(by:)`` throws.
    @discardableResult
    public func reject(
        _ signal: SignalID,
        reason: String = "",
        keeping keep: Duration? = nil,
        by principal: String? = nil
    ) async throws -> Verdict {
        try await decided(signal, .reject(reason), keeping: keep, by: principal)
    }

    /// Sends any request to the worker, and waits until the worker has settled.
    ///
    /// If the worker crashes before it answers, this method sends the request to the new worker with the same id, as a
    /// client does.
    ///
    /// - Parameters:
    ///   - command: The command of the request.
    ///   - id: The request's id; nil makes a new id.
    ///   - principal: The name of the principal who sends the request; nil means `local`.
    /// - Returns: The content of the first answer.
    /// - Throws: `BusError` if the worker refuses the request, or an error that ``advance(by:)`` throws.
    @discardableResult
    public func ask(
        _ command: Request.Command,
        id: RequestID? = nil,
        by principal: String? = nil
    ) async throws -> Answer.Content {
        let content = try await answer(to: command, id: id, by: principal)
        try await settle()
        return content
    }

    private func decided(
        _ signal: SignalID,
        _ decision: ScriptedDecision,
        keeping keep: Duration?,
        by principal: String?
    ) async throws -> Verdict {
        let verdict = try await decide(signal, decision, keeping: keep, by: principal)
        try await settle()
        return try verdict.get()
    }

    /// Sends a decision, and records it in ``decisions``; does not wait until the worker has settled.
    @discardableResult
    func decide(
        _ signal: SignalID,
        _ decision: ScriptedDecision,
        keeping keep: Duration? = nil,
        by principal: String?
    ) async throws -> Result<Verdict, BusError> {
        let moment = clock.elapsed
        let verdict: Result<Verdict, BusError>
        do {
            let sent = Decision(signal: try signal.name, outcome: decision.outcome, keep: keep)
            let command = Request.Command.decide(sent)
            guard case .verdict(let report) = try await answer(to: command, id: nil, by: principal) else {
                throw Errors.unexpectedAnswer(to: "a decision")
            }
            verdict = .success(report.verdict)
        } catch let error as BusError {
            verdict = .failure(error)
        }
        decisions.append(
            DecisionMade(
                signal: signal,
                decision: decision,
                principal: principal ?? AccessPolicy.Principal.local.name,
                elapsed: moment,
                verdict: verdict
            )
        )
        return verdict
    }

    private func answer(to command: Request.Command, id: RequestID?, by principal: String?) async throws
        -> Answer.Content
    {
        let request = Request(command, id: id ?? nextRequestID())
        let principal = principal.map { AccessPolicy.Principal($0) } ?? .local
        while true {
            let asked = lives
            // A worker that has ended accepts no requests. The call below then throws the reason, or starts the next
            // worker after a crash.
            let answers = try? await life.bus.submit(request, as: principal)
            try await settleUnattended()
            // The worker has settled: it has answered, or it has ended.
            if let answers {
                for await answer in answers {
                    if case .error(let error) = answer.content { throw error }
                    return answer.content
                }
            }
            guard lives > asked else { throw Errors.endedUnanswered }
        }
    }
}
