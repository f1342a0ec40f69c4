public import ForgeBusProtocol

/// Decisions about signals and gates.
extension BusClient {
    /// Completes the signal or approves the gate that waits under `signal`.
    ///
    /// If nobody waits yet, the worker keeps a completion for a plain signal. It keeps an approval for a gate only if
    /// `keep` is given, so that a stale or mistyped approval opens no later gate.
    ///
    /// - Parameters:
    ///   - signal: The id, as the worker announced it.
    ///   - value: The value for the run or process that waits.
    ///   - keep: How long the worker keeps the decision if nobody waits yet, at most 7 days; zero does not keep it, and nil
    ///     keeps it for 24 hours, but not for a gate.
    ///   - durability: The minimum durability of the verdict; nil uses the worker's.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    ///   - id: The request's id; the same request again gets the first verdict.
    /// - Returns: The verdict, after it is committed.
    /// - Throws: `BusError`; code `bad_name` for a malformed name; with code `timeout` the outcome is unknown.
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

    /// Rejects the gate that waits under `signal`.
    ///
    /// If no gate waits yet, the worker keeps the rejection only if `keep` is given.
    ///
    /// - Parameters:
    ///   - signal: The id, as the worker announced it.
    ///   - reason: Why, for people.
    ///   - keep: How long the worker keeps the rejection if no gate waits yet, at most 7 days; zero does not keep it.
    ///   - durability: The minimum durability of the verdict; nil uses the worker's.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    ///   - id: The request's id; the same request again gets the first verdict.
    /// - Returns: The verdict, after it is committed.
    /// - Throws: `BusError`; code `not_rejectable` for a plain signal; with code `timeout` the outcome is unknown.
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

    /// Takes back an early decision of this client's principal, before a signal uses it.
    ///
    /// - Parameters:
    ///   - signal: The signal's id.
    ///   - durability: The minimum durability of the withdrawal; nil uses the worker's.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    ///   - id: The request's id; the same request again gets the first answer.
    /// - Returns: A report whose state is `withdrawn`, `nothing` if the principal has no early decision on the signal, or
    ///   `decided` if the signal is decided.
    /// - Throws: ``BusError``; code `bad_name` for a malformed name; with code `timeout` the outcome is unknown.
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
