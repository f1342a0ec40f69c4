import ForgeBusProtocol

/// Carries out NOTIFY and MODE.
extension RequestBook {
    func notify(
        _ change: StateChange,
        _ received: Received,
        _ terms: Circumstances,
        _ monitors: inout MonitorBook,
        _ out: inout Outbox
    ) {
        // By default a notification is only in memory, also with a durable store. If the worker dies, the evaluation at
        // the next start makes up for the lost notification.
        let durability = change.durability ?? .memory
        if let error = terms.closedToWork ?? durability.shortfall(where: configuration.durability) {
            return out.refuse(received, error)
        }
        if change.wantsEvaluation, monitors.isFull {
            return out.refuse(received, Errors.tooManyEvaluations)
        }
        monitors.notify(change, received, as: durability, &out)
    }

    /// Sets the screen of monitors for a limited time, or ends their mode.
    mutating func mode(
        _ request: ModeRequest,
        _ received: Received,
        _ monitors: inout MonitorBook,
        _ out: inout Outbox
    ) {
        guard isToBeDone(received, nil, &out) else { return }
        if let name = try? Name(request.monitors.text), monitors[name] == nil {
            return out.refuse(received, Errors.unknown(.unknownMonitor, "monitor", name))
        }
        let count = monitors.show(request.screen, to: request.monitors, for: request.timeToLive, &out)
        let report = StateReport(.set, details: ["monitors": .integer(Int64(count))])
        confirm(received, report, .modeSet(monitors: request.monitors, screen: request.screen), &out)
    }
}
