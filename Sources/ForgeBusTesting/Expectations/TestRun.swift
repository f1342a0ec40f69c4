public import ForgeBusProtocol

/// A run that a ``TestWorker`` has accepted.
public struct TestRun: Sendable {
    /// The run's id.
    public let id: RunID
    /// The name of the run's pipeline.
    public let pipeline: PipelineName
    let worker: TestWorker

    /// The run's state now, with the signals it waits for, its reason or its result.
    ///
    /// - Throws: `BusError` with code `unknown_run` if the run ended and its retention is over.
    public var status: RunStatus {
        get async throws { try await worker.status(of: id) }
    }

    /// Returns the run's result.
    ///
    /// - Parameters:
    ///   - fileID: The file of the call, for the failure.
    ///   - filePath: The path of the call's file, for the failure.
    ///   - line: The line of the call, for the failure.
    ///   - column: The column of the call, for the failure.
    /// - Returns: The result of the ended run.
    /// - Throws: ``ExpectationFailure`` if the run has not ended, or an error that ``status`` throws.
    public func result(
        fileID: String = #fileID,
        filePath: String = #filePath,
        line: Int = #line,
        column: Int = #column
    ) async throws -> RunResult {
        let status = try await status
        if let result = status.result { return result }
        let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
        throw place.failure("\(name) was expected to have ended. It is \(status).")
    }

    /// Expects that the run has this state now.
    ///
    /// - Parameters:
    ///   - state: The expected state, such as `.waiting`, `.parked` or `.completed`.
    ///   - signal: A signal or gate that the run must wait for; nil does not check this.
    ///   - outputs: All outputs that the run must have, in any order; nil does not check them.
    ///   - reason: A text that the run's reason must contain; nil does not check it. A run has a reason if it is
    ///     parked, or if it ended without completing.
    ///   - fileID: The file of the expectation, for the failure.
    ///   - filePath: The path of the expectation's file, for the failure.
    ///   - line: The line of the expectation, for the failure.
    ///   - column: The column of the expectation, for the failure.
    /// - Throws: ``ExpectationFailure`` if the run's status differs.
    public func expect(
        _ state: StateReport.State,
        for signal: SignalID? = nil,
        outputs: JSONObject? = nil,
        because reason: String? = nil,
        fileID: String = #fileID,
        filePath: String = #filePath,
        line: Int = #line,
        column: Int = #column
    ) async throws {
        let expected = ExpectedStatus(state: state, signal: signal, outputs: outputs, reason: reason)
        let status = try await status
        if expected.isMet(by: status) { return }
        let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
        throw place.failure("\(name) was expected to be \(expected). It is \(status).")
    }

    private var name: String { "The run \(id) of the pipeline \"\(pipeline)\"" }
}

extension TestWorker {
    /// Requests a run, moves the clock until the run has the expected status, and checks the status.
    ///
    /// The clock moves by at most `time`.
    ///
    /// ```swift
    /// func approved(by worker: TestWorker) async throws {
    ///     await worker.whenOpen("deploy.42.approve", .approve(), by: "ada", after: .seconds(86_400))
    ///     try await worker.expectRun("deploy", seeds: ["version": "42"], .completed, within: .seconds(2 * 86_400))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - pipeline: The name of the pipeline.
    ///   - seeds: The values that the run's context begins with.
    ///   - principal: The name of the principal who sends the request; nil means `local`.
    ///   - state: The expected state, such as `.waiting`, `.parked` or `.completed`.
    ///   - signal: A signal or gate that the run must wait for; nil does not check this.
    ///   - outputs: All outputs that the run must have, in any order; nil does not check them.
    ///   - reason: A text that the run's reason must contain; nil does not check it. A run has a reason if it is
    ///     parked, or if it ended without completing.
    ///   - time: The longest time by which the clock may move; by default the clock does not move.
    ///   - fileID: The file of the expectation, for the failure.
    ///   - filePath: The path of the expectation's file, for the failure.
    ///   - line: The line of the expectation, for the failure.
    ///   - column: The column of the expectation, for the failure.
    /// - Returns: The run.
    /// - Throws: ``ExpectationFailure`` if the run is refused or its status differs, or an error that ``advance(by:)``
    ///   throws.
    @discardableResult
    public func expectRun(
        _ pipeline: PipelineName,
        seeds: JSONObject = [:],
        by principal: String? = nil,
        _ state: StateReport.State,
        for signal: SignalID? = nil,
        outputs: JSONObject? = nil,
        because reason: String? = nil,
        within time: Duration = .zero,
        fileID: String = #fileID,
        filePath: String = #filePath,
        line: Int = #line,
        column: Int = #column
    ) async throws -> TestRun {
        let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
        let run: TestRun
        do {
            run = try await self.run(pipeline, seeds: seeds, by: principal)
        } catch let error as BusError {
            throw place.failure(
                "A run of the pipeline \"\(pipeline)\" with the seeds \(seeds) was expected. It was refused: \(error)"
            )
        }
        let expected = ExpectedStatus(state: state, signal: signal, outputs: outputs, reason: reason)
        try await advance(by: time) { expected.isMet(by: try await status(of: run.id)) }
        try await run.expect(
            state,
            for: signal,
            outputs: outputs,
            because: reason,
            fileID: fileID,
            filePath: filePath,
            line: line,
            column: column
        )
        return run
    }

    func status(of run: RunID) async throws -> RunStatus {
        if let result = try await bus.result(of: run.name) { return RunStatus(result) }
        return RunStatus(try await bus.item(ShowRequest(.run, run.name)))
    }
}
