public import ForgeBusProtocol

/// Cancelling and redriving many runs at once.
extension BusClient {
    /// Cancels all unfinished runs that match a filter, if they are as many as you expect.
    ///
    /// - Parameters:
    ///   - filter: Which runs; at least one property must be given. Runs that you may not cancel do not count.
    ///   - count: How many runs must match, 0 to 10,000; if another number matches, nothing changes.
    ///   - reason: Why, for people.
    ///   - durability: The minimum durability of the answer; nil uses the worker's.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    ///   - id: The request's id; the same request again gets the first answer.
    /// - Returns: The number of runs that were cancelled: `count`.
    /// - Throws: `BusError`; code `count_differs` with the detail `count` if another number matches; with code
    ///   `timeout` the outcome is unknown.
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

    /// Redrives all parked runs that match a filter, if they are as many as you expect.
    ///
    /// - Parameters:
    ///   - filter: Which runs; at least one property must be given. Runs that you may not redrive do not count.
    ///   - count: How many parked runs must match, 0 to 10,000; if another number matches, nothing changes.
    ///   - durability: The minimum durability of the answer; nil uses the worker's.
    ///   - patience: How long the worker may take to answer; nil uses the client's.
    ///   - id: The request's id; the same request again gets the first answer.
    /// - Returns: The number of runs that were redriven: `count`.
    /// - Throws: `BusError`; code `count_differs` with the detail `count` if another number matches; `bad_seed`,
    ///   `id_taken` or `unknown_pipeline` if one of the runs cannot continue, and then none does; with code `timeout` the
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
        guard let count = report.details["count"]?.integer else { throw .unexpected("OK with a count") }
        return Int(count)
    }
}
