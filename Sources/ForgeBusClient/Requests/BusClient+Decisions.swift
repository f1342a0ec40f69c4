public import ForgeBusProtocol

/// Decides signals and gates, and withdraws decisions.
extension BusClient {
    /// Completes the plain signal, or approves the gate, with the id `signal`.
    ///
    /// If nothing waits for the signal yet, the worker can keep the decision; see `keep`. A gate uses a kept decision
    /// only if `keep` was given, so that an old or mistyped approval does not open a later gate.
    ///
    /// - Parameters:
    ///   - signal: The id of the signal or gate, as the worker announced it.
    ///   - value: The value for the waiter, at most 64 KiB as JSON; JSON null by default.
    ///   - keep: How long the worker keeps the decision if nothing waits yet, at most 7 days. With zero, the worker
    ///     does not keep it. With nil, the worker keeps it for 24 hours for a plain signal, and a gate does not use it.
    ///   - durability: How durable the decision must be when the worker answers; nil uses the worker's default.
    ///   - patience: How long to wait for the verdict; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets the first verdict again.
    /// - Returns: The verdict, after the worker has committed it.
    /// - Throws: `BusError` with code `bad_name` if `signal` is not a valid name, the worker's code if the worker
    ///   refuses the request, `timeout` if no answer came in time, or `unreachable` if the request could not be sent.
    ///   After `timeout` the outcome is unknown.
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

    /// Rejects the gate with the id `signal`.
    ///
    /// If no gate waits yet, a later gate uses the rejection only if `keep` is given.
    ///
    /// - Parameters:
    ///   - signal: The id of the gate, as the worker announced it.
    ///   - reason: The reason, for people; empty by default.
    ///   - keep: How long the worker keeps the rejection for a later gate, at most 7 days. With nil or zero, no later
    ///     gate uses the rejection.
    ///   - durability: How durable the decision must be when the worker answers; nil uses the worker's default.
    ///   - patience: How long to wait for the verdict; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets the first verdict again.
    /// - Returns: The verdict, after the worker has committed it.
    /// - Throws: `BusError` with code `bad_name` if `signal` is not a valid name, `not_rejectable` if a plain signal
    ///   waits with this id, another code of the worker if the worker refuses the request, `timeout` if no answer came
    ///   in time, or `unreachable` if the request could not be sent. After `timeout` the outcome is unknown.
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

    /// Withdraws an early decision of this client's principal before a signal uses it, or withdraws its vote on a gate
    /// that waits.
    ///
    /// - Parameters:
    ///   - signal: The signal's id.
    ///   - durability: How durable the withdrawal must be when the worker answers; nil uses the worker's default.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets the first report again.
    /// - Returns: The report. Its state is `withdrawn` if the worker removed an early decision or a vote of the
    ///   principal. The state is `decided` if the signal was approved or rejected already, and the principal may decide
    ///   it. In every other case, the state is `nothing`.
    /// - Throws: `BusError` with code `bad_name` if `signal` is not a valid name, the worker's code if the worker
    ///   refuses the request, `timeout` if no answer came in time, or `unreachable` if the request could not be sent.
    ///   After `timeout` the outcome is unknown.
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
        let answer = try await ask(.decide(decision), id: id, patience: patience)
        guard case .verdict(let report) = answer else { throw Errors.unexpected("VERDICT", answer) }
        return report
    }
}
