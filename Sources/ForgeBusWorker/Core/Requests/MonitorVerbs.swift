import ForgeBusProtocol

/// Carries out NOTIFY and MODE.
extension WorkerState {
    mutating func notify(_ change: StateChange, _ received: Received) {
        // By default a notification is only in memory, also with a durable store. If the worker dies, the evaluation at
        // the next start makes up for the lost notification.
        let durability = change.durability ?? .memory
        if let error = closedToWork ?? durability.shortfall(where: configuration.durability) {
            return step.refuse(received, error)
        }
        if change.wantsEvaluation, evaluations.count >= configuration.limits.evaluations {
            return step.refuse(received, Errors.tooManyEvaluations)
        }
        notify(change, received, as: durability)
    }

    /// Sets the screen of monitors for a limited time, or ends their mode.
    mutating func mode(_ request: ModeRequest, _ received: Received) {
        guard isToBeDone(received, nil) else { return }
        if let name = try? Name(request.monitors.text), monitors[name] == nil {
            return step.refuse(received, Errors.unknown(.unknownMonitor, "monitor", name))
        }
        let count = show(request.screen, to: request.monitors, for: request.timeToLive)
        let report = StateReport(.set, details: ["monitors": .integer(Int64(count))])
        confirm(received, report, .modeSet(monitors: request.monitors, screen: request.screen))
    }
}
