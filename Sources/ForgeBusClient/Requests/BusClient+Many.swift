public import ForgeBusProtocol

/// Cancels and redrives many runs at once.
extension BusClient {
    /// Cancels all unfinished runs that match a filter, if their number is `count`.
    ///
    /// - Parameters:
    ///   - filter: The filter of the runs; at least one of its properties must not be nil. Runs that this client has no
    ///     right to cancel, and runs that are stopping already, do not count.
    ///   - count: The number of runs that must match, 0 to 10,000. If another number matches, nothing changes.
    ///   - reason: The reason, for people; empty by default.
    ///   - durability: How durable the cancellations must be when the worker answers; nil uses the worker's default.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets the first answer again.
    /// - Returns: The number of cancelled runs, which is `count`. A run whose action still executes stops later.
    /// - Throws: `BusError` with code `count_differs` if another number of runs matches; the error's detail `count` is
    ///   that number. The code is another code of the worker if the worker refuses the request, `timeout` if no answer
    ///   came in time, or `unreachable` if the request could not be sent. After `timeout` the outcome is unknown.
    @discardableResult
    public func cancelAll(
        where filter: RunFilter,
        expecting count: Int,
        reason: String = "",
        durability: Durability? = nil,
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> Int {
        let change = SteeringRequest.Change.cancel(reason: reason)
        return try await steer(
            SteeringRequest(change, filter, expecting: count, durability: durability),
            id: id,
            patience: patience
        )
    }

    /// Redrives all parked runs that match a filter, if their number is `count`.
    ///
    /// - Parameters:
    ///   - filter: The filter of the runs; at least one of its properties must not be nil. Runs that this client has no
    ///     right to redrive do not count.
    ///   - count: The number of parked runs that must match, 0 to 10,000. If another number matches, nothing changes.
    ///   - durability: How durable the redrives must be when the worker answers; nil uses the worker's default.
    ///   - patience: How long to wait for the answer; nil uses the client's patience.
    ///   - id: The request's id; random by default. The same request with the same id gets the first answer again.
    /// - Returns: The number of redriven runs, which is `count`.
    /// - Throws: `BusError` with code `count_differs` if another number of runs matches; the error's detail `count` is
    ///   that number. If one of the runs cannot continue, no run continues, and the code is for instance `bad_seed`,
    ///   `id_taken` or `unknown_pipeline`. The code is another code of the worker if the worker refuses the request,
    ///   `timeout` if no answer came in time, or `unreachable` if the request could not be sent. After `timeout` the
    ///   outcome is unknown.
    @discardableResult
    public func redriveAll(
        where filter: RunFilter,
        expecting count: Int,
        durability: Durability? = nil,
        patience: Duration? = nil,
        id: RequestID = .random()
    ) async throws(BusError) -> Int {
        try await steer(
            SteeringRequest(.redrive, filter, expecting: count, durability: durability),
            id: id,
            patience: patience
        )
    }

    private func steer(
        _ request: SteeringRequest,
        id: RequestID,
        patience: Duration?
    ) async throws(BusError) -> Int {
        let report = try await report(of: .steer(request), id: id, patience: patience)
        guard let count = report.details["count"]?.integer else { throw Errors.uncounted }
        return Int(count)
    }
}
