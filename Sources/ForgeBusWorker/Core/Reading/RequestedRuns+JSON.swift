import ForgeBusProtocol

extension RequestedRuns {
    /// Adds the number of requested runs, and the pipelines whose runs for events fail, to the description of the worker.
    ///
    /// - Parameters:
    ///   - item: The description so far.
    ///   - isReporting: Whether events request runs; if not, the description gets no check `events`.
    ///   - mayRead: Whether the reader may read a run of a pipeline.
    /// - Returns: The whole description.
    func complete(
        _ item: JSONObject,
        isReporting: Bool,
        mayRead: (_ run: Name, _ pipeline: Name) -> Bool
    ) -> JSONObject {
        var item = item
        if count > 0 { item["requested_runs"] = .integer(Int64(count)) }
        guard isReporting else { return item }
        var checks = item["checks"]?.object ?? [:]
        checks["events"] = troubles.isEmpty ? "ok" : "failing"
        item["checks"] = .object(checks)
        let shown = troubles.filter { mayRead($0.value.run, $0.key) }.sorted { $0.key < $1.key }
        let failing = shown.map { pipeline, trouble in
            JSONValue.object([
                "pipeline": .string(pipeline.text), "failures": .integer(Int64(trouble.failures)),
                "run": .string(trouble.run.text), "failed_at_ms": .integer(trouble.unixMilliseconds),
                "reason": .string(trouble.reason),
            ])
        }
        if !failing.isEmpty { item["failing_events"] = .array(failing) }
        return item
    }
}
