public import ForgeBusProtocol
import ForgeBusWorker

extension TestWorker {
    /// Requests a run of a pipeline, and settles.
    ///
    /// - Parameters:
    ///   - pipeline: Which one.
    ///   - seeds: What its context begins with.
    ///   - id: The request's id; the same one again is the same run. Nil takes a new one.
    ///   - deadline: How long the run may take, waits included.
    ///   - principal: Who requests it; nil is `local`.
    /// - Returns: The run, which may have ended.
    /// - Throws: `BusError` when it is refused; otherwise as ``advance(by:)`` does.
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
        throw BusError(.badAnswer, "RUN was answered by something else.", next: "Report this.")
    }

    /// Says that something changed, and settles: cycles that may begin now have ended then.
    ///
    /// A monitor waits for its minimum gap or debounce by the worker's clock: ``advance(by:)`` past that.
    ///
    /// - Returns: How many monitors follow the topic.
    /// - Throws: `BusError` when it is refused; otherwise as ``advance(by:)`` does.
    @discardableResult
    public func notify(_ topic: Topic, by principal: String? = nil) async throws -> Int {
        guard case .accepted(let acceptance) = try await ask(.notify(StateChange(topic: try topic.name)), by: principal)
        else {
            throw BusError(.badAnswer, "NOTIFY was answered by something else.", next: "Report this.")
        }
        return acceptance.monitors ?? 0
    }

    /// How many cycles of a monitor the worker has ordered that ended; those of its interval do not count.
    ///
    /// - Throws: `BusError` with code `unknown_monitor`.
    public func cycles(of monitor: Name) async throws -> Int {
        Int(try await life.bus.item(ShowRequest(.monitor, monitor))["cycles"]?.integer ?? 0)
    }

    /// Approves a signal or gate now, and settles.
    ///
    /// - Parameters:
    ///   - signal: Under which id it waits.
    ///   - value: What the waiter gets.
    ///   - principal: Who decides; nil is `local`.
    /// - Returns: The verdict.
    /// - Throws: `BusError` when it is refused; otherwise as ``advance(by:)`` does.
    @discardableResult
    public func complete(_ signal: SignalID, value: JSONValue? = nil, by principal: String? = nil) async throws
        -> Verdict
    {
        try await decided(signal, .approve(value), by: principal)
    }

    /// Rejects a gate now, and settles.
    ///
    /// - Parameters:
    ///   - signal: Under which id it waits.
    ///   - reason: Why; empty for none.
    ///   - principal: Who decides; nil is `local`.
    /// - Returns: The verdict.
    /// - Throws: `BusError` when it is refused; otherwise as ``advance(by:)`` does.
    @discardableResult
    public func reject(_ signal: SignalID, reason: String = "", by principal: String? = nil) async throws -> Verdict {
        try await decided(signal, .reject(reason), by: principal)
    }

    /// Asks the worker anything, and settles.
    ///
    /// Where the worker dies before it answers, the request is sent to the next one again, under the same id, as clients do.
    ///
    /// - Parameters:
    ///   - command: What is asked.
    ///   - id: The request's id; nil takes a new one.
    ///   - principal: Who asks; nil is `local`.
    /// - Returns: The first answer.
    /// - Throws: `BusError` when it is refused; otherwise as ``advance(by:)`` does.
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

    private func decided(_ signal: SignalID, _ decision: ScriptedDecision, by principal: String?) async throws
        -> Verdict
    {
        let verdict = try await decide(signal, decision, by: principal)
        try await settle()
        return try verdict.get()
    }

    /// Decides, and writes down what became of it; leaves it to the caller to settle.
    @discardableResult
    func decide(_ signal: SignalID, _ decision: ScriptedDecision, by principal: String?) async throws
        -> Result<Verdict, BusError>
    {
        let moment = clock.elapsed
        let verdict: Result<Verdict, BusError>
        do {
            let command = Request.Command.decide(Decision(signal: try signal.name, outcome: decision.outcome))
            guard case .verdict(let report) = try await answer(to: command, id: nil, by: principal) else {
                throw BusError(.badAnswer, "A decision was answered by something else.", next: "Report this.")
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
            // A worker that has ended takes nothing; settling says why, or puts the next one in its place.
            let answers = try? await life.bus.submit(request, as: principal)
            try await settleUnattended()
            // All has settled: the answer is there, or the worker has ended.
            if let answers {
                for await answer in answers {
                    if case .error(let error) = answer.content { throw error }
                    return answer.content
                }
            }
            guard lives > asked else {
                throw TestWorkerError("The worker has ended before it answered.", next: "Call restart().")
            }
        }
    }
}
