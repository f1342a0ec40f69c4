import ForgeBusProtocol
import ForgeOrchestrator

/// Passes the requests of a monitor's actions to the worker that hosts the monitor.
struct MonitorRequests {
    /// The monitor's index in the worker's list of monitors.
    let monitor: Int
    /// A monitor may outlive the worker, so it must not retain the worker.
    private weak var loop: (any WorkSupervisor)?

    init(monitor: Int, loop: any WorkSupervisor) {
        self.monitor = monitor
        self.loop = loop
    }

    /// See ``RequestMonitorAction/Host``.
    @Sendable
    func request(_ order: RequestedRun, action: String, causers: Set<String>) async -> ActionResult {
        guard let loop else { return .failed("the worker has stopped") }
        let waiter = loop.waits.mint()
        let request = RequestByMonitor(
            monitor: monitor,
            action: action,
            order: order,
            causers: causers,
            waiter: waiter
        )
        let outcome: WaitOutcome = await withCheckedContinuation { continuation in
            loop.waits.add(waiter) { continuation.resume(returning: $0) }
            if !loop.post(.runRequested(request)) { loop.waits.close(waiter) }
        }
        switch outcome {
        case .requested: return .completed
        case .proceed: return .skipped
        case .refused(let error):
            return .failed(error.reason(ofNoRunOf: order.pipeline))
        case .decided(let decision): return ActionResult(ActionOutcome.Result(decision))
        case .registered, .failed, .ended: return .failed("the worker gave an unexpected answer")
        }
    }
}

extension BusError {
    /// Why an action failed that requested a run of `pipeline`; the advice of `bad_seed` is for the sender of a request.
    func reason(ofNoRunOf pipeline: Name) -> String {
        let ownSeeds = "Correct the seeds that this action gives, or the value that it passes on."
        return "the requested run of the pipeline \"\(pipeline)\" cannot begin: \(message) "
            + (code == .badSeed ? ownSeeds : next)
    }
}
