public import ForgeBusProtocol

/// Starts, follows, cancels and redrives runs of pipelines.
extension BusClient {
    /// Runs a pipeline, and waits for the result.
    ///
    /// - Parameters:
    ///   - pipeline: The name of the pipeline.
    ///   - seeds: The first values of the run's context; the pipeline declares which seeds it takes.
    ///   - deadline: The longest time from the acceptance to the end of the run, 1 ms to 365 days; nil, the default,
    ///     sets no limit. This time includes waits, but not the time in which the run is parked. The worker ends a run
    ///     at its deadline.
    ///   - durability: The minimum durability of the acceptance; nil uses the worker's default.
    ///   - patience: How long the worker may take to accept the run, and how long it may be silent after the
    ///     acceptance; nil uses the client's patience.
    ///   - id: The request's id; random by default. To ask for the result again after a restart of this process, store
    ///     an id before the first call, and pass the same id in each call.
    ///   - onEvent: Called with the acceptance and with each change of the run, in order. This closure runs on the
    ///     client's network thread and must not block: while it runs, the client sends and receives nothing.
    /// - Returns: The result of the run; a failed run is a result, not an error.
    /// - Throws: `BusError` with code `bad_name` if `pipeline` is not a valid name, the worker's code if the worker
    ///   refuses the run, `timeout` if no answer came in time, or `unreachable` if the request could not be sent. After
    ///   `timeout` the outcome is unknown.
    public func run(
        _ pipeline: PipelineName,
        seeds: JSONObject = [:],
        deadline: Duration? = nil,
        durability: Durability? = nil,
        patience: Duration? = nil,
        id: RequestID = .random(),
        onEvent: (@Sendable (RunEvent) -> Void)? = nil
    ) async throws(BusError) -> RunResult {
        let request = RunRequest(
            pipeline: try pipeline.name,
            seeds: seeds,
            wantsProgress: onEvent != nil,
            deadline: deadline,
            durability: durability
        )
        let answer = try await ask(.run(request), id: id, patience: patience) { content in
            if let event = RunEvent(content) { onEvent?(event) }
        }
        return try RunResult(last: answer)
    }

    /// Starts a run, and returns as soon as the worker has accepted the run.
    ///
    /// ```swift
    /// func deploy(with client: BusClient) async throws {
    ///     let run = try await client.start("deploy", seeds: ["version": "42"])
    ///     for try await step in run.progress { print(step.change) }
    ///     print(try await run.result.state)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - pipeline: The name of the pipeline.
    ///   - seeds: The first values of the run's context; the pipeline declares which seeds it takes.
    ///   - deadline: The longest time from the acceptance to the end of the run, 1 ms to 365 days; nil, the default,
    ///     sets no limit. This time includes waits, but not the time in which the run is parked. The worker ends a run
    ///     at its deadline.
    ///   - durability: The minimum durability of the acceptance; nil uses the worker's default.
    ///   - patience: How long the worker may take to accept the run, and how long it may be silent after the
    ///     acceptance; nil uses the client's patience.
    ///   - id: The request's id; random by default. To ask for the result again after a restart of this process, store
    ///     an id before the first call, and pass the same id in each call.
    /// - Returns: The run, once the worker has accepted it.
    /// - Throws: `BusError` with code `bad_name` if `pipeline` is not a valid name, the worker's code if the worker
    ///   refuses the run, `timeout` if no answer came in time, or `unreachable` if the request could not be sent. After
    ///   `timeout` the outcome is unknown.
    public func start(
        _ pipeline: PipelineName,
        seeds: JSONObject = [:],
        deadline: Duration? = nil,
        durability: Durability? = nil,
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> BusRun {
        let request = RunRequest(
            pipeline: try pipeline.name,
            seeds: seeds,
            wantsProgress: true,
            deadline: deadline,
            durability: durability
        )
        if principal != nil { try await checkActing() }
        return try await BusRun.begin(self.request(.run(request), id: id), patience, on: link)
    }

    /// Submits a run, and returns once the worker has accepted it.
    ///
    /// - Parameters:
    ///   - pipeline: The name of the pipeline.
    ///   - seeds: The first values of the run's context; the pipeline declares which seeds it takes.
    ///   - deadline: The longest time from the acceptance to the end of the run, 1 ms to 365 days; nil, the default,
    ///     sets no limit. This time includes waits, but not the time in which the run is parked. The worker ends a run
    ///     at its deadline.
    ///   - durability: The minimum durability of the acceptance; nil uses the worker's default.
    ///   - patience: How long the worker may take to accept the run; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets the same answer.
    /// - Returns: The acceptance: the run's id, how durable the acceptance is, and how long the worker keeps the
    ///   result.
    /// - Throws: `BusError` with code `bad_name` if `pipeline` is not a valid name, the worker's code if the worker
    ///   refuses the run, `timeout` if no answer came in time, or `unreachable` if the request could not be sent. After
    ///   `timeout` the outcome is unknown.
    public func submit(
        _ pipeline: PipelineName,
        seeds: JSONObject = [:],
        deadline: Duration? = nil,
        durability: Durability? = nil,
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> RunAcceptance {
        let request = RunRequest(
            pipeline: try pipeline.name,
            seeds: seeds,
            isDetached: true,
            deadline: deadline,
            durability: durability
        )
        let answer = try await ask(.run(request), id: id, patience: patience)
        guard case .accepted(let acceptance) = answer else { throw Errors.unexpected("ACCEPTED", answer) }
        guard let taken = RunAcceptance(acceptance) else { throw Errors.acceptedNoRun }
        return taken
    }

    /// Waits for the end of a run, even if another client started the run.
    ///
    /// - Parameters:
    ///   - run: The run's id.
    ///   - waiting: How long the worker waits for the end of the run before it answers with the run's state, at most
    ///     365 days. Zero asks for the current state; nil, the default, waits for the end. After a lost connection,
    ///     this time begins again.
    ///   - patience: How long the worker may be silent; nil uses the client's patience.
    ///   - onProgress: Called with each future change of the run, in order. This closure runs on the client's network
    ///     thread and must not block: while it runs, the client sends and receives nothing.
    /// - Returns: The result if the run has ended, otherwise the run's state. The worker sends the state before
    ///   `waiting` is over if too many requests wait for the same run; by default, at most eight may wait.
    /// - Throws: `BusError` with code `bad_name` if `run` is not a valid name, `unknown_run` if the worker keeps no
    ///   such run, `forbidden` if the client may not read it, `timeout` if the worker is silent for longer than the
    ///   patience, or `unreachable` if the request could not be sent.
    public func attach(
        _ run: RunID,
        waiting: Duration? = nil,
        patience: Duration? = nil,
        onProgress: (@Sendable (RunProgress) -> Void)? = nil
    ) async throws(BusError) -> RunStatus {
        let request = AttachRequest(run: try run.name, patience: waiting, wantsProgress: onProgress != nil)
        let answer = try await ask(.attach(request), patience: patience) { content in
            if case .progress(let progress) = content { onProgress?(progress) }
        }
        switch answer {
        case .result(let result): return .ended(result)
        case .ok(let report): return .unfinished(report.state)
        case .welcome, .accepted, .progress, .evaluated, .verdict, .shown, .page, .event, .pong, .error:
            throw Errors.unexpected("RESULT or OK", answer)
        }
    }

    /// Cancels a run, so that it ends early.
    ///
    /// - Parameters:
    ///   - run: The run's id.
    ///   - reason: The reason, for people; empty by default.
    ///   - durability: How durable the cancellation must be when the worker answers; nil uses the worker's default.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets the first report again.
    /// - Returns: The run's state: `cancelled`, `stopping` while an action still executes, or the final state of a run
    ///   that had already ended. The worker answers at once.
    /// - Throws: `BusError` with code `bad_name` if `run` is not a valid name, the worker's code if the worker refuses
    ///   the request, `timeout` if no answer came in time, or `unreachable` if the request could not be sent. After
    ///   `timeout` the outcome is unknown.
    @discardableResult
    public func cancel(
        _ run: RunID,
        reason: String = "",
        durability: Durability? = nil,
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> StateReport {
        let request = CancelRequest(run: try run.name, reason: reason, durability: durability)
        return try await report(of: .cancel(request), id: id, patience: patience)
    }

    /// Redrives a parked run, so that it resumes at the action where it stopped.
    ///
    /// - Parameters:
    ///   - run: The run's id.
    ///   - durability: How durable the redrive must be when the worker answers; nil uses the worker's default.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets the first report again.
    /// - Returns: The run's state: `running`, `queued` while the run waits for a slot, or `waiting` if the run's gate
    ///   is still undecided.
    /// - Throws: `BusError` with code `bad_name` if `run` is not a valid name, `not_parked` if the run is not parked,
    ///   another code of the worker if the worker refuses the request, `timeout` if no answer came in time, or
    ///   `unreachable` if the request could not be sent. After `timeout` the outcome is unknown.
    @discardableResult
    public func redrive(
        _ run: RunID,
        durability: Durability? = nil,
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> StateReport {
        try await report(
            of: .redrive(RedriveRequest(run: try run.name, durability: durability)),
            id: id,
            patience: patience
        )
    }
}

/// The result of a run that has ended, or the state of an unfinished run.
public enum RunStatus: Hashable, Sendable {
    /// The run has ended with this result.
    case ended(RunResult)
    /// The run has not ended; this is its state.
    case unfinished(StateReport.State)
}

/// An event of a run before its end.
public enum RunEvent: Hashable, Sendable {
    /// The worker has accepted the run.
    case accepted(RunAcceptance)
    /// The run, or one of its actions, changed its state.
    case progress(RunProgress)
}

extension RunEvent {
    /// Makes the event that an answer reports; nil if the answer reports neither an acceptance nor a change.
    init?(_ content: Answer.Content) {
        switch content {
        case .accepted(let acceptance):
            guard let taken = RunAcceptance(acceptance) else { return nil }
            self = .accepted(taken)
        case .progress(let progress): self = .progress(progress)
        case .welcome, .result, .evaluated, .verdict, .ok, .shown, .page, .event, .pong, .error: return nil
        }
    }
}
