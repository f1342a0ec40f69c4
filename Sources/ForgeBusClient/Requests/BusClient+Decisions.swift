public import ForgeBusProtocol

/// Decisions about signals and gates.
extension BusClient {
    /// Completes the signal or approves the gate waiting under `signal`, or keeps the completion until one waits.
    ///
    /// - Parameters:
    ///   - signal: As announced by the worker.
    ///   - value: What the waiter gets.
    ///   - keep: How long an early completion waits for its signal, at most 7 days; zero does not keep it.
    ///   - durability: The minimum durability of the verdict; nil uses the worker's.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    ///   - id: The request's id; the same message again gets its first verdict.
    /// - Returns: The verdict, after it is committed.
    /// - Throws: `BusError`; code `bad_name` for a malformed name; with code `timeout` the outcome is unknown.
    @discardableResult
    public func complete(
        _ signal: SignalID,
        value: JSONValue = .null,
        keeping keep: Duration = WireLimits.defaultKeep,
        durability: Durability? = nil,
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> VerdictReport {
        let bytes = value == .null ? [] : value.encoded
        let decision = Decision(
            signal: try signal.name,
            outcome: .approved(value: bytes),
            keep: keep,
            durability: durability
        )
        return try await decide(decision, id: id, patience: patience)
    }

    /// Rejects the gate waiting under `signal`, or keeps the rejection for it.
    ///
    /// - Parameters:
    ///   - signal: As announced by the worker.
    ///   - reason: Why, for people.
    ///   - keep: How long an early rejection waits for its gate, at most 7 days; zero does not keep it.
    ///   - durability: The minimum durability of the verdict; nil uses the worker's.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    ///   - id: The request's id; the same message again gets its first verdict.
    /// - Returns: The verdict, after it is committed.
    /// - Throws: `BusError`; code `not_rejectable` for a plain signal; with code `timeout` the outcome is unknown.
    @discardableResult
    public func reject(
        _ signal: SignalID,
        reason: String = "",
        keeping keep: Duration = WireLimits.defaultKeep,
        durability: Durability? = nil,
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> VerdictReport {
        let decision = Decision(
            signal: try signal.name,
            outcome: .rejected(reason: reason),
            keep: keep,
            durability: durability
        )
        return try await decide(decision, id: id, patience: patience)
    }

    private func decide(
        _ decision: Decision,
        id: RequestID,
        patience: Duration?
    ) async throws(BusError) -> VerdictReport {
        guard case .verdict(let report) = try await ask(.decide(decision), id: id, patience: patience) else {
            throw .unexpected("VERDICT")
        }
        return report
    }
}
