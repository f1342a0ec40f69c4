public import ForgeBusProtocol

/// A run that a ``TestWorker`` has taken.
public struct TestRun: Sendable {
    /// The run's id.
    public let id: RunID
    /// Which pipeline runs.
    public let pipeline: PipelineName
    let worker: TestWorker

    /// How the run stands now.
    ///
    /// - Throws: `BusError` with code `unknown_run` once its retention is over.
    public var status: RunStatus {
        get async throws { try await worker.status(of: id) }
    }

    /// How the run ended.
    ///
    /// - Throws: ``ExpectationFailure`` if it has not.
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

    /// Expects that the run stands so now.
    ///
    /// - Parameters:
    ///   - state: How: `.waiting`, `.parked`, `.completed` …
    ///   - signal: For which signal or gate it waits; nil for any.
    ///   - outputs: What the pipeline's outputs are, in any order; nil for any.
    ///   - reason: What the reason contains for which it failed, parked or was cancelled; nil for any.
    ///   - fileID: Where that is expected.
    ///   - filePath: Where that is expected.
    ///   - line: Where that is expected.
    ///   - column: Where that is expected.
    /// - Throws: ``ExpectationFailure`` if it does not.
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

    private var name: String { "The run \(id) of \(pipeline)" }
}

extension TestWorker {
    /// Requests a run, moves the clock until it stands as expected or `time` is over, and expects that it does.
    ///
    /// ```swift
    /// func approved(by worker: TestWorker) async throws {
    ///     await worker.whenOpen("deploy.42.approve", .approve(), by: "ada", after: .seconds(86_400))
    ///     try await worker.expectRun("deploy", seeds: ["version": "42"], .completed, within: .seconds(2 * 86_400))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - pipeline: Which one.
    ///   - seeds: What its context begins with.
    ///   - principal: Who requests it; nil is `local`.
    ///   - state: How the run is to stand.
    ///   - signal: For which signal or gate it waits; nil for any.
    ///   - outputs: What the pipeline's outputs are, in any order; nil for any.
    ///   - reason: What the reason contains for which it failed, parked or was cancelled; nil for any.
    ///   - time: How far the clock is moved for that at most, by default not at all.
    ///   - fileID: Where that is expected.
    ///   - filePath: Where that is expected.
    ///   - line: Where that is expected.
    ///   - column: Where that is expected.
    /// - Returns: The run.
    /// - Throws: ``ExpectationFailure`` if it is refused or does not stand so; otherwise as ``advance(by:)`` does.
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
            throw place.failure("A run of \(pipeline) with \(seeds) was expected. It was refused: \(error)")
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
