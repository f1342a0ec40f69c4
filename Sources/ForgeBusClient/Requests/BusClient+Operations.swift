public import ForgeBusProtocol

/// Sends the requests of operators and deployments.
extension BusClient {
    /// Sets the current screen of monitors for a limited time.
    ///
    /// A *screen* is a name for the current situation, such as `deployment`. A monitor begins no cycle while a screen
    /// that it excludes is set. A later call replaces the screen of each monitor that the later call's pattern matches.
    ///
    /// - Parameters:
    ///   - screen: The screen's name, 1 to 256 bytes; nil removes the current screen.
    ///   - monitors: The pattern of the monitors' names; all monitors by default.
    ///   - duration: How long the screen is set, 1 ms to 7 days. This time has no default, because a program that
    ///     crashes must not exclude monitors permanently.
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

    /// Pauses a pipeline or a monitor: the pipeline gives its runs no slots, or the monitor begins no cycle.
    ///
    /// While a pipeline is paused, the worker accepts and queues new runs. Runs that execute continue until they end or
    /// wait, and gates can be decided. If a notification comes while a monitor is paused, the monitor begins a cycle
    /// after the pause. The pause survives a restart of a worker with a durable store. A second pause replaces the
    /// first one.
    ///
    /// - Parameters:
    ///   - subject: The pipeline or monitor.
    ///   - duration: How long the pause lasts, 1 ms to 7 days. With nil, a pipeline stays paused until
    ///     ``resume(_:patience:id:)``; for a monitor, nil is an error.
    ///   - reason: The reason, which everybody who may read the pipeline or monitor can see; at most 1,024 bytes as
    ///     JSON.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets the first report again.
    /// - Returns: The report. For a pipeline, the detail `executing` is the number of its runs that have a slot, and
    ///   `queued` is the number of its runs that wait for a slot.
    /// - Throws: `BusError` with code `unknown_pipeline` or `unknown_monitor` if there is no such subject,
    ///   `bad_attribute` if `duration` is out of range or is nil for a monitor, `too_large` if `reason` is too long,
    ///   another code of the worker if the worker refuses the request, `timeout` if no answer came in time, or
    ///   `unreachable` if the request could not be sent. After `timeout` the outcome is unknown.
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

    /// Resumes a pipeline or a monitor that is paused; does nothing if it is not paused.
    ///
    /// - Parameters:
    ///   - subject: The pipeline or monitor.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets the first report again.
    /// - Returns: The report. Its detail `was_paused`, a Boolean, says whether the subject was paused. For a pipeline,
    ///   the report also has the details `executing` and `queued` of ``pause(_:for:reason:patience:id:)``, counted
    ///   before queued runs got slots.
    /// - Throws: `BusError` with code `unknown_pipeline` or `unknown_monitor` if there is no such subject, another code
    ///   of the worker if the worker refuses the request, `timeout` if no answer came in time, or `unreachable` if the
    ///   request could not be sent. After `timeout` the outcome is unknown.
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
    /// Each worker has its own tasks.
    ///
    /// - Parameters:
    ///   - verb: The name of the task, for instance `store.verify`.
    ///   - arguments: The arguments of the task; none by default.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets the first report again.
    /// - Returns: The report; its details are the result of the task.
    /// - Throws: `BusError` with code `bad_name` if `verb` is not a valid name, `unknown_verb` if the worker does not
    ///   have this task, another code of the worker if the worker refuses the request, `timeout` if no answer came in
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

    /// Sends a request that the worker answers with OK, and returns the report of the OK.
    func report(
        of command: Request.Command,
        id: RequestID,
        patience: Duration?
    ) async throws(BusError) -> StateReport {
        let answer = try await ask(command, id: id, patience: patience)
        guard case .ok(let report) = answer else { throw Errors.unexpected("OK", answer) }
        return report
    }
}
