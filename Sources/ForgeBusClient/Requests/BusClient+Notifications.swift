public import ForgeBusProtocol

/// Notifications of changes.
extension BusClient {
    /// Says that something changed on `topic`.
    ///
    /// - Parameters:
    ///   - topic: What changed.
    ///   - body: A hint for people and logs; monitors look at the state itself.
    /// - Returns: The acceptance: how many monitors follow the topic, and how durable it is.
    /// - Throws: ``BusError``; with code `timeout` the outcome is unknown.
    @discardableResult
    public func notify(_ topic: Topic, body: JSONValue? = nil) async throws(BusError) -> Acceptance {
        try await notify(topic, bytes: body?.encoded ?? [])
    }

    /// Says that something changed on `topic`, with a hint that need not be JSON.
    ///
    /// - Parameters:
    ///   - topic: What changed.
    ///   - bytes: A hint for people and logs, at most 1 MiB; monitors look at the state itself.
    /// - Returns: The acceptance: how many monitors follow the topic, and how durable it is.
    /// - Throws: ``BusError``; with code `timeout` the outcome is unknown.
    @discardableResult
    public func notify(_ topic: Topic, bytes: [UInt8]) async throws(BusError) -> Acceptance {
        let change = StateChange(topic: topic, body: bytes)
        guard case .accepted(let acceptance) = try await ask(.notify(change)) else { throw .unexpected("ACCEPTED") }
        return acceptance
    }

    /// Says that something changed on `topic`, and waits for the cycles that cover it.
    ///
    /// - Parameters:
    ///   - topic: What changed.
    ///   - body: A hint for people and logs.
    ///   - deadline: After how long the worker answers even if cycles are pending; nil waits for them.
    /// - Returns: What each monitor that follows the topic did in a cycle that started after the notification.
    /// - Throws: ``BusError``; with code `timeout` the outcome is unknown.
    public func notifyAndWait(
        _ topic: Topic,
        body: JSONValue? = nil,
        deadline: Duration? = nil
    ) async throws(BusError) -> Evaluation {
        try await notifyAndWait(topic, bytes: body?.encoded ?? [], deadline: deadline)
    }

    /// Says that something changed on `topic`, with a hint that need not be JSON, and waits for the cycles that cover it.
    ///
    /// - Parameters:
    ///   - topic: What changed.
    ///   - bytes: A hint for people and logs, at most 1 MiB.
    ///   - deadline: After how long the worker answers even if cycles are pending; nil waits for them.
    /// - Returns: What each monitor that follows the topic did in a cycle that started after the notification.
    /// - Throws: ``BusError``; with code `timeout` the outcome is unknown.
    public func notifyAndWait(
        _ topic: Topic,
        bytes: [UInt8],
        deadline: Duration? = nil
    ) async throws(BusError) -> Evaluation {
        let change = StateChange(topic: topic, body: bytes, wantsEvaluation: true, deadline: deadline)
        guard case .evaluated(let evaluation) = try await ask(.notify(change)) else { throw .unexpected("EVALUATED") }
        return evaluation
    }
}
