import ForgeBusProtocol
import ForgeBusStore

/// Carries out ADMIN.
extension WorkerState {
    /// Passes an operator's task to the store, only once even if several connections send the same request.
    mutating func administer(_ request: AdminRequest, _ received: Received) {
        guard isToBeDone(received, nil) else { return }
        do throws(BusError) {
            try perform(request, received)
        } catch {
            step.refuse(received, error)
        }
    }

    private mutating func perform(_ request: AdminRequest, _ received: Received) throws(BusError) {
        let task = try StoreTask(request)
        guard configuration.keepsRecords else { throw Errors.noStore }
        guard let known = tasks[received.key] else {
            guard tasks.count < configuration.limits.storeTasks else {
                throw .busy("admin", "The store is busy with other tasks of operators.")
            }
            if isShort, case .backup = task { throw Errors.noRoomForBackup }
            tasks.begin(task, of: request.verb, received)
            return step.emit(.perform(task, received.key))
        }
        if known.waiting.contains(where: { $0.caller == received.caller }) { return }
        guard known.waiting.count <= configuration.limits.attachedConnections else { throw Errors.tooManyForTask }
        tasks.join(received)
    }

    /// Ends the waits for store tasks that the access policy no longer allows, and tells their callers why.
    mutating func endWaitsForTasks() {
        for (received, error) in tasks.endWaits(under: access) { step.answer(received, .error(error)) }
    }

    /// Sends the outcome of a store task to all callers that wait for it.
    mutating func performed(_ key: RequestKey, _ result: Result<JSONObject, StoreError>) {
        guard let asked = tasks.end(key) else { return }
        let content: Answer.Content
        switch result {
        case .success(let details):
            var report = StateReport(.done, details: details)
            if asked.task.isKept {
                (report.durability, report.retention) = (configuration.durability, configuration.retention)
                take(asked.first, .confirmation(report))
            }
            if asked.task.isAudited {
                step.allow(by: access.grant(for: asked.first.request.command, of: asked.first.principal))
                audit(.administered(verb: asked.verb), asked.first)
            }
            content = .ok(report)
        case .failure(let error): content = .error(BusError(.storeFailed, error.message, next: error.next))
        }
        for received in asked.waiting { step.answer(received, content) }
    }
}
