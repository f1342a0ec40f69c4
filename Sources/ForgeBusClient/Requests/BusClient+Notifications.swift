public import ForgeBusProtocol

/// Notifies monitors of changes.
extension BusClient {
    /// Reports a change on `topic`.
    ///
    /// - Parameters:
    ///   - topic: The topic that changed.
    ///   - body: A hint for people and logs, at most 1 MiB as JSON; nil, the default, sends no body. A monitor must not
    ///     take the new state from the body: it reads the state at its source.
    ///   - durability: The minimum durability of the acceptance; nil accepts `memory`. With `fsynced` or `replicated`,
    ///     the worker's store keeps the notification until a cycle that covers it has succeeded within its time limit.
    ///   - patience: How long the worker may take to accept the notification; nil uses the client's patience.
    /// - Returns: The acceptance: how many monitors follow the topic, and how durable the acceptance is.
    /// - Throws: `BusError` with code `bad_name` if `topic` is not a valid name, the worker's code if the worker
    ///   refuses the request, `timeout` if no answer came in time, or `unreachable` if the request could not be sent.
    ///   After `timeout` the outcome is unknown.
    @discardableResult
    public func notify(
        _ topic: Topic,
        body: JSONValue? = nil,
        durability: Durability? = nil,
        patience: Duration? = nil
    ) async throws(BusError) -> Acceptance {
        try await notify(topic, bytes: body?.encoded ?? [], durability: durability, patience: patience)
    }

    /// Reports a change on `topic`, with a hint that need not be JSON.
    ///
    /// - Parameters:
    ///   - topic: The topic that changed.
    ///   - bytes: A hint for people and logs, at most 1 MiB. A monitor must not take the new state from the hint: it
    ///     reads the state at its source.
    ///   - durability: The minimum durability of the acceptance; nil accepts `memory`. With `fsynced` or `replicated`,
    ///     the worker's store keeps the notification until a cycle that covers it has succeeded within its time limit.
    ///   - patience: How long the worker may take to accept the notification; nil uses the client's patience.
    /// - Returns: The acceptance: how many monitors follow the topic, and how durable the acceptance is.
    /// - Throws: `BusError` with code `bad_name` if `topic` is not a valid name, the worker's code if the worker
    ///   refuses the request, `timeout` if no answer came in time, or `unreachable` if the request could not be sent.
    ///   After `timeout` the outcome is unknown.
    @discardableResult
    public func notify(
        _ topic: Topic,
        bytes: [UInt8],
        durability: Durability? = nil,
        patience: Duration? = nil
    ) async throws(BusError) -> Acceptance {
        let change = StateChange(topic: try topic.name, body: bytes, durability: durability)
        let answer = try await ask(.notify(change), patience: patience)
        guard case .accepted(let acceptance) = answer else { throw Errors.unexpected("ACCEPTED", answer) }
        return acceptance
    }

    /// Reports a change on `topic`, and waits for the cycles that cover it.
    ///
    /// - Parameters:
    ///   - topic: The topic that changed.
    ///   - body: A hint for people and logs, at most 1 MiB as JSON; nil, the default, sends no body. A monitor must not
    ///     take the new state from the body: it reads the state at its source.
    ///   - deadline: How long the worker waits for the cycles, 1 ms to 365 days; then it answers with the cycles that
    ///     have ended. Nil, the default, waits for all cycles.
    ///   - durability: The minimum durability of the acceptance; nil accepts `memory`. With `fsynced` or `replicated`,
    ///     the worker's store keeps the notification until a cycle that covers it has succeeded within its time limit.
    ///   - patience: How long the worker may take to accept the notification, and how long it may be silent after the
    ///     acceptance; nil uses the client's patience.
    /// - Returns: The outcomes of the cycles that cover the notification, one for each monitor that follows the topic.
    ///   If a monitor's cycle has not ended by the deadline, `pending` contains the monitor's name instead.
    /// - Throws: `BusError` with code `bad_name` if `topic` is not a valid name, the worker's code if the worker
    ///   refuses the request, `timeout` if no answer came in time, or `unreachable` if the request could not be sent.
    ///   After `timeout` the outcome is unknown.
    public func notifyAndWait(
        _ topic: Topic,
        body: JSONValue? = nil,
        deadline: Duration? = nil,
        durability: Durability? = nil,
        patience: Duration? = nil
    ) async throws(BusError) -> Evaluation {
        try await notifyAndWait(
            topic,
            bytes: body?.encoded ?? [],
            deadline: deadline,
            durability: durability,
            patience: patience
        )
    }

    /// Reports a change on `topic`, with a hint that need not be JSON, and waits for the cycles that cover it.
    ///
    /// - Parameters:
    ///   - topic: The topic that changed.
    ///   - bytes: A hint for people and logs, at most 1 MiB. A monitor must not take the new state from the hint: it
    ///     reads the state at its source.
    ///   - deadline: How long the worker waits for the cycles, 1 ms to 365 days; then it answers with the cycles that
    ///     have ended. Nil, the default, waits for all cycles.
    ///   - durability: The minimum durability of the acceptance; nil accepts `memory`. With `fsynced` or `replicated`,
    ///     the worker's store keeps the notification until a cycle that covers it has succeeded within its time limit.
    ///   - patience: How long the worker may take to accept the notification, and how long it may be silent after the
    ///     acceptance; nil uses the client's patience.
    /// - Returns: The outcomes of the cycles that cover the notification, one for each monitor that follows the topic.
    ///   If a monitor's cycle has not ended by the deadline, `pending` contains the monitor's name instead.
    /// - Throws: `BusError` with code `bad_name` if `topic` is not a valid name, the worker's code if the worker
    ///   refuses the request, `timeout` if no answer came in time, or `unreachable` if the request could not be sent.
    ///   After `timeout` the outcome is unknown.
    public func notifyAndWait(
        _ topic: Topic,
        bytes: [UInt8],
        deadline: Duration? = nil,
        durability: Durability? = nil,
        patience: Duration? = nil
    ) async throws(BusError) -> Evaluation {
        let change = StateChange(
            topic: try topic.name,
            body: bytes,
            wantsEvaluation: true,
            deadline: deadline,
            durability: durability
        )
        let answer = try await ask(.notify(change), patience: patience)
        guard case .evaluated(let evaluation) = answer else { throw Errors.unexpected("EVALUATED", answer) }
        return evaluation
    }
}
