public import ForgeBusProtocol

/// Requests that operators and deployments send.
extension BusClient {
    /// Tells monitors which screen is showing; while a screen shows that a monitor excludes, the monitor does not
    /// evaluate.
    ///
    /// - Parameters:
    ///   - screen: The screen, 1 to 256 bytes; nil if no screen is showing any more.
    ///   - monitors: The pattern of the monitors' names.
    ///   - duration: How long the screen counts as showing, 1 ms to 7 days, so that a dead sender does not stop
    ///     monitors for ever.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    ///   - id: The request's id; the same request again gets the first report.
    /// - Returns: The report; its detail `monitors` is the number of monitors with a matching name.
    /// - Throws: ``BusError``; code `unknown_monitor` if the pattern is a single name that no monitor has; with code
    ///   `timeout` the outcome is unknown.
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

    /// Sends an operator's command to the worker.
    ///
    /// The worker defines the verbs.
    ///
    /// - Parameters:
    ///   - verb: The command's verb.
    ///   - arguments: The verb's arguments.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    ///   - id: The request's id; the same request again gets the first report.
    /// - Returns: The report, with the verb's details.
    /// - Throws: ``BusError``; code `unknown_verb` for a verb that the worker does not have; with code `timeout` the
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
