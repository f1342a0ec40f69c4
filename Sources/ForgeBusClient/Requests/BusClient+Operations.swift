public import ForgeBusProtocol

/// Sends the requests of operators and deployments.
extension BusClient {
    /// Tells monitors which screen is showing; a monitor begins no cycle while a screen that it excludes is showing.
    ///
    /// - Parameters:
    ///   - screen: The screen's name, 1 to 256 bytes; nil if no screen is showing any more.
    ///   - monitors: The pattern of the monitors' names; all monitors by default.
    ///   - duration: How long the screen counts as showing, 1 ms to 7 days. This time has no default, because a program
    ///     that crashes must not exclude monitors permanently.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets the first report again.
    /// - Returns: The report; its detail `monitors` is the number of monitors that match the pattern.
    /// - Throws: `BusError` with code `unknown_monitor` if `monitors` is a single name and no monitor has it, another
    ///   code of the worker if the worker refuses the request, `timeout` if no answer came in time, or `unreachable` if
    ///   the request could not be sent. After `timeout` the outcome is unknown.
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

    /// Pauses a pipeline or a monitor, which then starts nothing new.
    ///
    /// The runs of a paused pipeline get no slot: new runs are accepted and queued, runs that execute continue until
    /// they end or wait, and gates can be decided. A paused monitor begins no cycle, and evaluates afterwards what was
    /// notified meanwhile. The pause survives a restart of a worker with a durable store. A second pause replaces the
    /// first one.
    ///
    /// - Parameters:
    ///   - subject: The pipeline or monitor.
    ///   - duration: How long the pause lasts, 1 ms to 7 days; with nil, a pipeline stays paused until
    ///     ``resume(_:patience:id:)``. A monitor needs a time.
    ///   - reason: Why, for everybody who may read the subject; at most 1,024 bytes as JSON.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets the first report again.
    /// - Returns: The report; for a pipeline, with the details `executing` and `queued`, the numbers of its runs that have
    ///   a slot and that wait for one.
    /// - Throws: `BusError` with code `unknown_pipeline` or `unknown_monitor`, `bad_attribute` for a monitor without a
    ///   time or a time out of bounds, `too_large` for a longer reason, another code of the worker if the worker refuses
    ///   the request, `timeout` if no answer came in time, or `unreachable` if the request could not be sent. After
    ///   `timeout` the outcome is unknown.
    @discardableResult
    public func pause(
        _ subject: PauseSubject,
        for duration: Duration? = nil,
        reason: String = "",
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> StateReport {
        let change = PauseRequest.Change.pause(for: duration, reason: reason)
        return try await report(of: .pause(PauseRequest(subject, change)), id: id, patience: patience)
    }

    /// Resumes a pipeline or a monitor that is paused; does nothing if it is not.
    ///
    /// - Parameters:
    ///   - subject: The pipeline or monitor.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets the first report again.
    /// - Returns: The report, with the detail `was_paused`, a Boolean; for a pipeline also with the details of
    ///   ``pause(_:for:reason:patience:id:)``, as they were before runs got slots.
    /// - Throws: `BusError` with code `unknown_pipeline` or `unknown_monitor`, another code of the worker if the worker
    ///   refuses the request, `timeout` if no answer came in time, or `unreachable` if the request could not be sent.
    ///   After `timeout` the outcome is unknown.
    @discardableResult
    public func resume(
        _ subject: PauseSubject,
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> StateReport {
        try await report(of: .pause(PauseRequest(subject, .resume)), id: id, patience: patience)
    }

    /// Asks the worker to do a task for an operator.
    ///
    /// The worker defines which verbs it has.
    ///
    /// - Parameters:
    ///   - verb: The name of the task, for instance `store.verify`.
    ///   - arguments: The arguments that the verb takes; none by default.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets the first report again.
    /// - Returns: The report, with the verb's details.
    /// - Throws: `BusError` with code `bad_name` if `verb` is not a valid name, `unknown_verb` if the worker does not
    ///   have this verb, another code of the worker if the worker refuses the request, `timeout` if no answer came in
    ///   time, or `unreachable` if the request could not be sent. After `timeout` the outcome is unknown.
    @discardableResult
    public func admin(
        _ verb: String,
        _ arguments: JSONObject = [:],
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> StateReport {
        try await report(of: .admin(AdminRequest(try Name(verb), arguments: arguments)), id: id, patience: patience)
    }

    /// Sends a request that the worker answers with OK.
    func report(
        of command: Request.Command,
        id: RequestID,
        patience: Duration?
    ) async throws(BusError) -> StateReport {
        guard case .ok(let report) = try await ask(command, id: id, patience: patience) else { throw .unexpected("OK") }
        return report
    }
}
