public import ForgeBusProtocol

/// Notifications of changes.
extension BusClient {
    /// Says that something changed on `topic`.
    ///
    /// - Parameters:
    ///   - topic: What changed.
    ///   - body: A hint for people and logs; monitors look at the state itself.
    ///   - durability: The minimum durability of the acceptance: `fsynced` stores the notification until a cycle has covered it;
    ///     nil takes `memory`.
    ///   - patience: How long the worker may take to accept it, and how long it may be silent after that; nil uses the client's.
    /// - Returns: The acceptance: how many monitors follow the topic, and how durable it is.
    /// - Throws: `BusError`; code `bad_name` for a malformed name; with code `timeout` the outcome is unknown.
    @discardableResult
    public func notify(
        _ topic: Topic,
        body: JSONValue? = nil,
        durability: Durability? = nil,
        patience: Duration? = nil
    ) async throws(BusError) -> Acceptance {
        try await notify(topic, bytes: body?.encoded ?? [], durability: durability, patience: patience)
    }

    /// Says that something changed on `topic`, with a hint that need not be JSON.
    ///
    /// - Parameters:
    ///   - topic: What changed.
    ///   - bytes: A hint for people and logs, at most 1 MiB; monitors look at the state itself.
    ///   - durability: The minimum durability of the acceptance: `fsynced` stores the notification until a cycle has covered it;
    ///     nil takes `memory`.
    ///   - patience: How long the worker may take to accept it, and how long it may be silent after that; nil uses the client's.
    /// - Returns: The acceptance: how many monitors follow the topic, and how durable it is.
    /// - Throws: `BusError`; code `bad_name` for a malformed name; with code `timeout` the outcome is unknown.
    @discardableResult
    public func notify(
        _ topic: Topic,
        bytes: [UInt8],
        durability: Durability? = nil,
        patience: Duration? = nil
    ) async throws(BusError) -> Acceptance {
        let change = StateChange(topic: try topic.name, body: bytes, durability: durability)
        guard case .accepted(let acceptance) = try await ask(.notify(change), patience: patience) else {
            throw .unexpected("ACCEPTED")
        }
        return acceptance
    }

    /// Says that something changed on `topic`, and waits for the cycles that cover it.
    ///
    /// - Parameters:
    ///   - topic: What changed.
    ///   - body: A hint for people and logs.
    ///   - deadline: After how long the worker answers even if cycles are pending; nil waits for them.
    ///   - durability: The minimum durability of the acceptance: `fsynced` stores the notification until a cycle has covered it;
    ///     nil takes `memory`.
    ///   - patience: How long the worker may take to accept it, and how long it may be silent after that; nil uses the client's.
    /// - Returns: What each monitor that follows the topic did in a cycle that started after the notification.
    /// - Throws: `BusError`; code `bad_name` for a malformed name; with code `timeout` the outcome is unknown.
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

    /// Says that something changed on `topic`, with a hint that need not be JSON, and waits for the cycles that cover it.
    ///
    /// - Parameters:
    ///   - topic: What changed.
    ///   - bytes: A hint for people and logs, at most 1 MiB.
    ///   - deadline: After how long the worker answers even if cycles are pending; nil waits for them.
    ///   - durability: The minimum durability of the acceptance: `fsynced` stores the notification until a cycle has covered it;
    ///     nil takes `memory`.
    ///   - patience: How long the worker may take to accept it, and how long it may be silent after that; nil uses the client's.
    /// - Returns: What each monitor that follows the topic did in a cycle that started after the notification.
    /// - Throws: `BusError`; code `bad_name` for a malformed name; with code `timeout` the outcome is unknown.
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
        guard case .evaluated(let evaluation) = try await ask(.notify(change), patience: patience) else {
            throw .unexpected("EVALUATED")
        }
        return evaluation
    }
}
