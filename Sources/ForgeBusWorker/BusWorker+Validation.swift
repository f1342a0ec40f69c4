import ForgeBusProtocol

/// Refuses definitions that cannot work.
extension BusWorker {
    static func validate(_ pipelines: [HostedPipeline], _ monitors: [HostedMonitor]) throws(WorkerError) {
        for pipeline in pipelines {
            guard let flaw = pipeline.flaw else { continue }
            let cause = "The pipeline \"\(pipeline.name)\" cannot work: \(flaw)."
            throw WorkerError(.definition, cause, next: "Correct the definition of this pipeline.")
        }
        for monitor in monitors {
            guard let flaw = monitor.flaw else { continue }
            let cause = "The monitor \"\(monitor.name)\" cannot work: \(flaw)."
            throw WorkerError(.definition, cause, next: "Correct the definition of this monitor.")
        }
        for (kind, names) in [("pipelines", pipelines.map(\.name)), ("monitors", monitors.map(\.name))] {
            guard let twice = names.first(where: { name in names.count { $0 == name } > 1 }) else { continue }
            throw WorkerError(
                .definition,
                "Two \(kind) have the name \"\(twice)\".",
                next: "Give each of them its own name."
            )
        }
    }

    /// Refuses gates that limit who may decide, if the worker cannot tell senders apart.
    static func validateIdentities(_ pipelines: [HostedPipeline], areKnown: Bool) throws(WorkerError) {
        if areKnown { return }
        for pipeline in pipelines {
            guard let gate = pipeline.gateThatNeedsIdentities else { continue }
            throw Errors.gateNeedsKeys("\(gate)", of: pipeline.name)
        }
    }

    /// Refuses actions and events that request a run which can never begin.
    static func validateRequests(
        _ pipelines: [HostedPipeline],
        _ monitors: [HostedMonitor],
        _ events: [WorkerEvent: Name]
    ) throws(WorkerError) {
        if let flaw = RequestRules.flaws(pipelines, monitors, events).first { throw WorkerError(flaw) }
    }
}
