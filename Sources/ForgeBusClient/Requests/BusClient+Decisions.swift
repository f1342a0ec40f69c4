public import ForgeBusProtocol

/// Decisions about signals and gates.
extension BusClient {
    /// Completes the signal, or approves the gate, that waits under `signal`.
    ///
    /// If none waits yet, the worker keeps the decision for a plain signal. For a gate it keeps the decision only if `keep`
    /// is given, so that a stale or mistyped approval opens no later gate.
    ///
    /// - Parameters:
    ///   - signal: The id of the signal or gate, as the worker announced it.
    ///   - value: The value for the waiter, at most 64 KiB as JSON; null by default.
    ///   - keep: How long the worker keeps the decision if nothing waits yet, at most 7 days. Zero does not keep it; nil
    ///     keeps it for 24 hours, but not for a gate.
    ///   - durability: The minimum durability of the verdict; nil uses the worker's.
    ///   - patience: How long to wait for the verdict; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets its first verdict again.
    /// - Returns: The verdict, after the worker has committed it.
    /// - Throws: `BusError` with code `bad_name` if `signal` is not a valid name, the worker's code if the worker
    ///   refuses the request, or `timeout` if no answer came in time. After a timeout the outcome is unknown.
    @discardableResult
    public func complete(
        _ signal: SignalID,
        value: JSONValue = .null,
        keeping keep: Duration? = nil,
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

    /// Rejects the gate that waits under `signal`; if none waits yet, the worker keeps the rejection only if `keep` is given.
    ///
    /// - Parameters:
    ///   - signal: The id of the gate, as the worker announced it.
    ///   - reason: The reason, for people; empty by default.
    ///   - keep: How long the worker keeps the rejection if no gate waits yet, at most 7 days; nil and zero do not keep it.
    ///   - durability: The minimum durability of the verdict; nil uses the worker's.
    ///   - patience: How long to wait for the verdict; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets its first verdict again.
    /// - Returns: The verdict, after the worker has committed it.
    /// - Throws: `BusError` with code `bad_name` if `signal` is not a valid name, `not_rejectable` if a plain signal
    ///   waits under the id, another code of the worker if it refuses the request, or `timeout` if no answer came in
    ///   time. After a timeout the outcome is unknown.
    @discardableResult
    public func reject(
        _ signal: SignalID,
        reason: String = "",
        keeping keep: Duration? = nil,
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

    /// Takes back an early decision of this client's principal before a signal uses it, or its vote on a gate that waits.
    ///
    /// - Parameters:
    ///   - signal: The signal's id.
    ///   - durability: The minimum durability of the withdrawal; nil uses the worker's.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    ///   - id: The request's id; the same request again gets the first answer.
    /// - Returns: A report whose state is `withdrawn`, `nothing` if the principal has no early decision and no vote on the
    ///   signal, or `decided` if the signal is decided.
    /// - Throws: `BusError` with code `bad_name` for a malformed name, or `timeout` if no answer came in time.
    @discardableResult
    public func withdraw(
        _ signal: SignalID,
        durability: Durability? = nil,
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> StateReport {
        let request = WithdrawRequest(signal: try signal.name, durability: durability)
        return try await report(of: .withdraw(request), id: id, patience: patience)
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
