import ForgeBusClient
import ForgeBusProtocol

/// Following a run to its end, or for as long as its caller has patience.
extension RunView {
    /// Tells of a run that was begun.
    ///
    /// - Returns: How the command ends.
    func follow(_ run: BusRun, on bus: BusClient, for limit: Duration?) async throws(BusError) -> ExitStatus {
        let telling = Task { for try await change in run.progress { hear(change) } }
        defer { telling.cancel() }
        let result = try await shown { () throws(BusError) in
            let result = try await within(limit) { () throws(BusError) in try await run.result }
            // What was told before the result is shown before it.
            if result != nil { _ = await telling.result }
            return result
        }
        if let result { return show(result) }
        return try await show(bus.attach(run.id, waiting: .zero), of: run.id, on: bus)
    }

    /// Tells of a run that somebody began.
    ///
    /// - Returns: How the command ends.
    func follow(_ run: RunID, on bus: BusClient, for limit: Duration?) async throws(BusError) -> ExitStatus {
        let status = try await bus.attach(run, waiting: .zero)
        guard case .unfinished(let state) = status, limit != .zero else {
            return try await show(status, of: run, on: bus)
        }
        show(attached: try await RunStanding(state, of: run, on: bus))
        let later = try await shown { () throws(BusError) in
            try await bus.attach(run, waiting: limit) { hear($0) }
        }
        return try await show(later, of: run, on: bus)
    }

    private func show(_ status: RunStatus, of run: RunID, on bus: BusClient) async throws(BusError) -> ExitStatus {
        switch status {
        case .ended(let result): return show(result)
        case .unfinished(let state): return show(try await RunStanding(state, of: run, on: bus))
        }
    }
}

/// What `body` gives, or nil where that takes longer than `limit`: then it is cancelled.
func within<Value: Sendable>(
    _ limit: Duration?,
    _ body: @escaping @Sendable () async throws(BusError) -> Value
) async throws(BusError) -> Value? {
    guard let limit else { return try await body() }
    let task = Task { await Result { () async throws(BusError) in try await body() } }
    let timer = Task {
        try await Task.sleep(for: limit)
        task.cancel()
    }
    let result = await withTaskCancellationHandler {
        await task.value
    } onCancel: {
        task.cancel()
    }
    timer.cancel()
    if case .failure = result, task.isCancelled, !Task.isCancelled { return nil }
    return try result.get()
}

extension Result where Failure == BusError, Success: Sendable {
    /// What `body` gives or throws.
    fileprivate init(_ body: () async throws(BusError) -> Success) async {
        do throws(BusError) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
