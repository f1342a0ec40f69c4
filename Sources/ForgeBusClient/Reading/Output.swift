public import ForgeBusProtocol

extension BusClient {
    /// Requests the output that the actions of a run printed: the end of the output of each attempt, oldest first.
    ///
    /// The worker's store keeps the outputs with the run. If all outputs together exceed the store's limit, the store
    /// drops the oldest outputs. If the requested outputs do not fit into one message, the worker sends only the latest
    /// ones; to request fewer outputs, pass an `action`.
    ///
    /// - Parameters:
    ///   - run: The run's id.
    ///   - action: The action whose output is requested; nil for all actions.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    /// - Returns: The attempts that printed something, and whether the answer has no room for earlier ones.
    /// - Throws: `BusError` with code `unknown_run` if the worker keeps no such run, `bad_name` if `run` is not a valid
    ///   name, `forbidden` if the client may not read the run, `store_failed` if the worker cannot read its store,
    ///   `busy` if the worker reads too many histories and outputs already, `timeout` if no answer came in time, or
    ///   `unreachable` if the request could not be sent.
    public func output(
        of run: RunID,
        action: String? = nil,
        patience: Duration? = nil
    ) async throws(BusError) -> OutputItem {
        let answer = try await ask(.show(ShowRequest(.output, try run.name, action: action)), patience: patience)
        guard case .shown(let item) = answer else { throw Errors.unexpected("SHOWN", answer) }
        return try OutputItem(item)
    }
}
