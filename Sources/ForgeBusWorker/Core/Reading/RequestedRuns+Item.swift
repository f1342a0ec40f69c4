import ForgeBusProtocol

extension RequestedRuns {
    /// Adds the number of requested runs, and the pipelines whose runs for events fail, to the description of the worker.
    ///
    /// - Parameters:
    ///   - item: The description.
    ///   - isReporting: Whether events request runs; if not, the description gets no check `events`.
    ///   - mayRead: Whether the reader may read a run of a pipeline.
    func complete(
        _ item: inout WorkerItem,
        isReporting: Bool,
        mayRead: (_ run: Name, _ pipeline: Name) -> Bool
    ) {
        item.requestedRuns = count
        guard isReporting else { return }
        item.checks["events"] = troubles.isEmpty ? "ok" : "failing"
        let shown = troubles.filter { mayRead($0.value.run, $0.key) }.sorted { $0.key < $1.key }
        item.failingEvents = shown.map { pipeline, trouble in
            var item = FailingEventItem()
            (item.pipeline, item.failures) = (PipelineName(pipeline), trouble.failures)
            (item.run, item.failedUnixMilliseconds) = (RunID(trouble.run), trouble.unixMilliseconds)
            item.reason = trouble.reason
            return item
        }
    }
}
