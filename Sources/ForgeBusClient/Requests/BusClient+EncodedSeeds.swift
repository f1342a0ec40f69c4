public import ForgeBusProtocol

/// Runs pipelines with seeds from Swift values.
///
/// Each method here works like the method of the same name whose seeds are a `JSONObject`. In addition, it throws
/// `BusError` with code `bad_body` if the seeds cannot be encoded as a JSON object.
extension BusClient {
    /// Runs a pipeline with seeds from a dictionary, and waits for the result.
    ///
    /// The other parameters are the same as those of the method that takes a `JSONObject`.
    ///
    /// - Throws: `BusError` with code `bad_body` if a seed cannot be encoded as JSON, or an error that the method with
    ///   a `JSONObject` throws.
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

    /// Runs a pipeline whose seeds are the properties of a value, and waits for the result.
    ///
    /// The other parameters are the same as those of the method that takes a `JSONObject`.
    ///
    /// - Throws: `BusError` with code `bad_body` if the value cannot be encoded as a JSON object, or an error that the
    ///   method with a `JSONObject` throws.
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

    /// Starts a run with seeds from a dictionary, and returns once the run is accepted.
    ///
    /// The other parameters are the same as those of the method that takes a `JSONObject`.
    ///
    /// - Throws: `BusError` with code `bad_body` if a seed cannot be encoded as JSON, or an error that the method with
    ///   a `JSONObject` throws.
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

    /// Starts a run whose seeds are the properties of a value, and returns once the run is accepted.
    ///
    /// The other parameters are the same as those of the method that takes a `JSONObject`.
    ///
    /// - Throws: `BusError` with code `bad_body` if the value cannot be encoded as a JSON object, or an error that the
    ///   method with a `JSONObject` throws.
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

    /// Submits a run with seeds from a dictionary, and returns once the run is accepted.
    ///
    /// The other parameters are the same as those of the method that takes a `JSONObject`.
    ///
    /// - Throws: `BusError` with code `bad_body` if a seed cannot be encoded as JSON, or an error that the method with
    ///   a `JSONObject` throws.
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

    /// Submits a run whose seeds are the properties of a value, and returns once the run is accepted.
    ///
    /// The other parameters are the same as those of the method that takes a `JSONObject`.
    ///
    /// - Throws: `BusError` with code `bad_body` if the value cannot be encoded as a JSON object, or an error that the
    ///   method with a `JSONObject` throws.
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
