public import ForgeBusProtocol

/// Runs whose seeds are values of the program.
///
/// Each call is the same as the one with a `JSONObject`, and throws `BusError` with code `bad_body` for a value that has no
/// JSON form, or is no object in it.
extension BusClient {
    /// Runs a pipeline with the seeds of a dictionary and waits for its end.
    @_disfavoredOverload
    public func run(
        _ pipeline: PipelineName,
        seeds: [String: any Encodable],
        deadline: Duration? = nil,
        durability: Durability? = nil,
        patience: Duration? = nil,
        id: RequestID = .random(),
        onEvent: (@Sendable (RunEvent) -> Void)? = nil
    ) async throws(BusError) -> RunResult {
        try await run(
            pipeline,
            seeds: JSONObject(encoding: seeds),
            deadline: deadline,
            durability: durability,
            patience: patience,
            id: id,
            onEvent: onEvent
        )
    }

    /// Runs a pipeline with the properties of a value as seeds and waits for its end.
    @_disfavoredOverload
    public func run(
        _ pipeline: PipelineName,
        seeds: some Encodable,
        deadline: Duration? = nil,
        durability: Durability? = nil,
        patience: Duration? = nil,
        id: RequestID = .random(),
        onEvent: (@Sendable (RunEvent) -> Void)? = nil
    ) async throws(BusError) -> RunResult {
        try await run(
            pipeline,
            seeds: JSONObject(encoding: seeds),
            deadline: deadline,
            durability: durability,
            patience: patience,
            id: id,
            onEvent: onEvent
        )
    }

    /// Starts a run with the seeds of a dictionary, whose progress and result can be awaited.
    @_disfavoredOverload
    public func start(
        _ pipeline: PipelineName,
        seeds: [String: any Encodable],
        deadline: Duration? = nil,
        durability: Durability? = nil,
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> BusRun {
        try await start(
            pipeline,
            seeds: JSONObject(encoding: seeds),
            deadline: deadline,
            durability: durability,
            patience: patience,
            id: id
        )
    }

    /// Starts a run with the properties of a value as seeds, whose progress and result can be awaited.
    @_disfavoredOverload
    public func start(
        _ pipeline: PipelineName,
        seeds: some Encodable,
        deadline: Duration? = nil,
        durability: Durability? = nil,
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> BusRun {
        try await start(
            pipeline,
            seeds: JSONObject(encoding: seeds),
            deadline: deadline,
            durability: durability,
            patience: patience,
            id: id
        )
    }

    /// Submits a run with the seeds of a dictionary and returns once it is accepted.
    @_disfavoredOverload
    public func submit(
        _ pipeline: PipelineName,
        seeds: [String: any Encodable],
        deadline: Duration? = nil,
        durability: Durability? = nil,
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> RunAcceptance {
        try await submit(
            pipeline,
            seeds: JSONObject(encoding: seeds),
            deadline: deadline,
            durability: durability,
            patience: patience,
            id: id
        )
    }

    /// Submits a run with the properties of a value as seeds and returns once it is accepted.
    @_disfavoredOverload
    public func submit(
        _ pipeline: PipelineName,
        seeds: some Encodable,
        deadline: Duration? = nil,
        durability: Durability? = nil,
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> RunAcceptance {
        try await submit(
            pipeline,
            seeds: JSONObject(encoding: seeds),
            deadline: deadline,
            durability: durability,
            patience: patience,
            id: id
        )
    }
}
