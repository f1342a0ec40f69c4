public import ForgeBusProtocol

/// Requests of operators and deployments.
extension BusClient {
    /// Says which screen is showing to monitors: one that a monitor excludes keeps it from evaluating.
    ///
    /// - Parameters:
    ///   - screen: The screen, 1 to 256 bytes; nil where none is showing any more.
    ///   - monitors: Which monitors.
    ///   - duration: How long that holds, 1 ms to 7 days: a sender that dies must not exclude monitors for ever.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    ///   - id: The request's id; the same request again gets the first report.
    /// - Returns: The report; its detail `monitors` says how many it reached.
    /// - Throws: `BusError`; code `unknown_monitor` for one name that no monitor has; with code `timeout` the outcome is
    ///   unknown.
    @discardableResult
    public func setMode(
        _ screen: String?,
        of monitors: NamePattern = ">",
        for duration: Duration,
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> StateReport {
        try await report(of: .mode(ModeRequest(monitors, screen: screen, for: duration)), id: id, patience: patience)
    }

    /// Asks the worker for an operator's task.
    ///
    /// The worker decides which verbs there are.
    ///
    /// - Parameters:
    ///   - verb: The task.
    ///   - arguments: What the verb takes.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    ///   - id: The request's id; the same request again gets the first report.
    /// - Returns: The report, with the verb's details.
    /// - Throws: `BusError`; code `unknown_verb` for a verb that the worker does not have; with code `timeout` the
    ///   outcome is unknown.
    @discardableResult
    public func admin(
        _ verb: String,
        _ arguments: JSONObject = [:],
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> StateReport {
        try await report(of: .admin(AdminRequest(try Name(verb), arguments: arguments)), id: id, patience: patience)
    }

    /// Sends a request whose answer is OK.
    func report(
        of command: Request.Command,
        id: RequestID,
        patience: Duration?
    ) async throws(BusError) -> StateReport {
        guard case .ok(let report) = try await ask(command, id: id, patience: patience) else { throw .unexpected("OK") }
        return report
    }
}
