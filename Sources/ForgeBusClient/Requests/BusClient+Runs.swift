public import ForgeBusProtocol

/// Runs of pipelines.
extension BusClient {
    /// Runs a pipeline and waits for its end.
    ///
    /// - Parameters:
    ///   - pipeline: Which one.
    ///   - seeds: What its context begins with; the worker declares which.
    ///   - deadline: The longest the run may take from acceptance, waits included. The worker enforces it.
    ///   - durability: The minimum durability of the acceptance; nil uses the worker's.
    ///   - patience: How long the worker may take to accept it, and how long it may be silent after that; nil uses the client's.
    ///   - id: The request's id. Give one that is stored to be able to ask again after this process died.
    ///   - onEvent: Gets the acceptance and each change, in order. It is called on the thread that serves the socket, so it
    ///     must not block: the client sends and hears nothing meanwhile.
    /// - Returns: How the run ended; a run that failed is a result, not an error.
    /// - Throws: `BusError`; code `bad_name` for a malformed name; with code `timeout` the outcome is unknown.
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

    /// Starts a run, whose progress and result can be awaited.
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
    ///   - pipeline: Which one.
    ///   - seeds: What its context begins with; the worker declares which.
    ///   - deadline: The longest the run may take from acceptance, waits included. The worker enforces it.
    ///   - durability: The minimum durability of the acceptance; nil uses the worker's.
    ///   - patience: How long the worker may take to accept it, and how long it may be silent after that; nil uses the client's.
    ///   - id: The request's id. Give one that is stored to be able to ask again after this process died.
    /// - Returns: The run, once the worker has accepted it.
    /// - Throws: `BusError`; code `bad_name` for a malformed name; with code `timeout` the outcome is unknown.
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
        return try await BusRun.begin(self.request(.run(request), id: id), patience, on: link)
    }

    /// Submits a run and returns once it is accepted.
    ///
    /// - Parameters:
    ///   - pipeline: Which one.
    ///   - seeds: What its context begins with; the worker declares which.
    ///   - deadline: The longest the run may take from acceptance, waits included. The worker enforces it.
    ///   - durability: The minimum durability of the acceptance; nil uses the worker's.
    ///   - patience: How long the worker may take to accept it, and how long it may be silent after that; nil uses the client's.
    ///   - id: The request's id; the same request again gets the same answer.
    /// - Returns: The run's id, and how durable the acceptance is.
    /// - Throws: `BusError`; code `bad_name` for a malformed name; with code `timeout` the outcome is unknown.
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
        guard case .accepted(let acceptance) = try await ask(.run(request), id: id, patience: patience) else {
            throw .unexpected("ACCEPTED")
        }
        guard let taken = RunAcceptance(acceptance) else { throw .acceptedNoRun }
        return taken
    }

    /// Waits for the end of a run that any client may have started.
    ///
    /// - Parameters:
    ///   - run: Which one.
    ///   - waiting: How long to wait for the end before the state is enough; zero asks for the state now, nil waits for the
    ///     end. A lost connection begins the wait again.
    ///   - patience: How long the worker may be silent; nil uses the client's.
    ///   - onProgress: Gets each change from now on, in order. It is called on the thread that serves the socket, so it must
    ///     not block: the client sends and hears nothing meanwhile.
    /// - Returns: How it ended, or its state; the state comes earlier where the worker has no room for another wait.
    /// - Throws: `BusError`; code `unknown_run` for a run that is not kept, `timeout` when the worker falls silent.
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
            throw .unexpected("RESULT or OK")
        }
    }

    /// Ends a run before its time.
    ///
    /// - Parameters:
    ///   - run: Which one; for a run that has ended, the report says how.
    ///   - reason: Why, for people.
    ///   - durability: The minimum durability of the report; nil uses the worker's.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    ///   - id: The request's id; the same request again gets the first report.
    /// - Returns: The run's state, at once: `cancelled`, or `stopping` until the action that executes returns.
    /// - Throws: `BusError`; code `bad_name` for a malformed name; with code `timeout` the outcome is unknown.
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

    /// Redrives a parked run: it resumes at the action it stopped at.
    ///
    /// - Parameters:
    ///   - run: Which one.
    ///   - durability: The minimum durability of the report; nil uses the worker's.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    ///   - id: The request's id; the same request again gets the first report.
    /// - Returns: The run's state: `queued` where it waits for its turn.
    /// - Throws: `BusError`; code `not_parked` for any other run; with code `timeout` the outcome is unknown.
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

/// How a run ended, or its state.
public enum RunStatus: Hashable, Sendable {
    /// It ended.
    case ended(RunResult)
    /// It has not ended yet.
    case unfinished(StateReport.State)
}

/// What happens to a run before its end.
public enum RunEvent: Hashable, Sendable {
    /// The worker has taken the request.
    case accepted(RunAcceptance)
    /// The run, or one of its actions, changed its state.
    case progress(RunProgress)
}

extension RunEvent {
    /// What an answer tells of a run before its end; nil for any other.
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
