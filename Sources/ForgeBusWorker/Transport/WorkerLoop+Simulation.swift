import ForgeBusProtocol
import ForgeOrchestrator
import ZeroMQ

/// The state of a simulated worker after everything that could continue has continued.
package enum Settlement: Sendable {
    /// Nothing continues by itself before the time `next`; `next` is nil if nothing waits for a time.
    case quiet(next: ContinuousClock.Instant?)
    /// These activities were still executing at the end of the time that `settle` may take.
    case busy([String])
    /// The worker has died or stopped, or its store failed.
    case over
}

/// The callers that wait until a simulated worker is idle; owned by the reactor thread.
struct Settlers {
    /// Whether the worker's start-up has finished; until then, the start-up counts as an activity.
    var isOpen = false
    /// Whether the worker has stopped: it has cancelled its runs and cycles, and hosts no new ones.
    var hasStopped = false
    private var waiting: [Int: CheckedContinuation<Settlement, Never>] = [:]
    private var last = 0

    var isEmpty: Bool { waiting.isEmpty }

    mutating func add(_ continuation: CheckedContinuation<Settlement, Never>) -> Int {
        last += 1
        waiting[last] = continuation
        return last
    }

    mutating func resume(_ number: Int, _ settlement: Settlement) {
        waiting.removeValue(forKey: number)?.resume(returning: settlement)
    }

    mutating func resumeAll(_ settlement: Settlement) {
        for number in waiting.keys.sorted() { resume(number, settlement) }
    }
}

/// Finds out when nothing in a simulated worker can continue.
extension WorkerLoop {
    var simulation: (any Simulation)? { simulated?.simulation }

    /// Runs a piece of work later on the reactor's thread; a simulated worker counts the piece until it has run.
    ///
    /// - Returns: Whether the work will be run; false once the reactor was shut down.
    @discardableResult
    func submit(_ work: @escaping @Sendable (isolated Reactor) -> Void) -> Bool {
        simulated?.submit(work) ?? reactor.submit(work)
    }

    /// Waits until nothing can continue by itself.
    ///
    /// - Parameter patience: How long to wait for code that executes, by the machine's clock.
    /// - Returns: The state of the worker at the end of the wait.
    func settle(within patience: Duration) async -> Settlement { await settle(within: patience, on: reactor) }

    private func settle(within patience: Duration, on reactor: isolated Reactor) async -> Settlement {
        if isOver { return .over }
        let limit = ContinuousClock.now + patience
        // The end of this turn checks whether the worker is idle.
        return await withCheckedContinuation { resume($0, atLatest: limit, reactor) }
    }

    private func resume(
        _ continuation: CheckedContinuation<Settlement, Never>,
        atLatest limit: ContinuousClock.Instant,
        _ reactor: isolated Reactor
    ) {
        let number = settlers.add(continuation)
        reactor.schedule(at: limit) { [self] in settlers.resume(number, .busy(activities)) }
    }

    /// Resumes the callers that wait until the worker is idle, if it is idle.
    ///
    /// Called at the end of each turn of the reactor.
    func tellIfSettled(_ reactor: isolated Reactor) {
        guard let simulated, !settlers.isEmpty else { return }
        if isOver { return settlers.resumeAll(.over) }
        guard simulated.isIdle, consequences.isEmpty, committer.isIdle, activities.isEmpty else { return }
        // All events of a turn have the time of its beginning, so the next turn handles what has become due since then.
        if let due = nextDue, due <= now() {
            submit { _ in }
            return
        }
        let next = nextDue.map { start.advanced(by: .nanoseconds($0.nanoseconds)) }
        settlers.resumeAll(.quiet(next: next))
    }

    /// Waits until all work has ended, at most for the drain time; returns whether the work has ended.
    ///
    /// A simulated worker does not wait for that time to pass: it returns as soon as no work continues by itself.
    func drains(within drainTime: Duration) async -> Bool {
        guard simulated != nil else { return (try? await drained.wait(for: drainTime)) != nil }
        _ = await settle(within: drainTime)
        return drained.isCompleted
    }

    /// Executes `body` as a part of `activity`; in a simulation, `body` can read `Activity.current`.
    func whileSimulating(_ activity: Activity, _ body: @Sendable () async -> Void) async {
        guard simulated != nil else { return await body() }
        await Activity.$current.withValue(activity, operation: body)
    }

    private var isOver: Bool { settlers.hasStopped || failure != nil || simulated?.isFrozen == true }

    /// The names of the activities that execute now, and wait neither for time nor for a decision or a slot.
    private var activities: [String] {
        guard let simulation else { return [] }
        var busy = hosted.started.filter { !isWaiting($0) && !simulation.isAsleep(.run($0)) }.map { run in
            let action = hosted.currentAction(of: run).map { "the action \"\($0)\" of " } ?? ""
            return "\(action)the run \(run)"
        }
        for (number, monitor) in hosted.monitors.enumerated() {
            let isExcluded = monitor.orchestrator.isExcluded
            let lane = core.monitors.lanes[number]
            if lane.isRunning, !isExcluded, !simulation.isAsleep(.cycle(monitor: number)) {
                busy.append("a cycle of the monitor \"\(monitor.name)\"")
            }
        }
        if !settlers.isOpen, !simulation.isAsleep(.startup) { busy.append("the start-up") }
        return busy.sorted()
    }

    private func isWaiting(_ run: Name) -> Bool { core.runs[run]?.isWaitingForOthers ?? false }

    /// Ends the worker as if its process were killed: nothing executes, is committed or is answered any more.
    func die() {
        guard let simulated else { return }
        simulated.freeze()
        reactor.submit { [self] _ in
            door.closeAll()
            settlers.resumeAll(.over)
            failed.complete()
            drained.complete()
        }
    }

    /// Returns the item that a SHOW request names, such as a run, without checking access.
    func item(_ request: ShowRequest) async throws(BusError) -> JSONObject { try await item(request, on: reactor) }

    private func item(_ request: ShowRequest, on reactor: isolated Reactor) throws(BusError) -> JSONObject {
        try core.reader(for: .local, at: now()).item(request)
    }

    /// Returns the result of a run; nil if the run has not ended, or is unknown.
    func result(of run: Name) async -> RunResult? { await result(of: run, on: reactor) }

    private func result(of run: Name, on reactor: isolated Reactor) -> RunResult? { core.runs.ended[run]?.result }

    /// Returns the signals that wait, each with the name of its owner.
    func waitingSignals() async -> [Name: String] { await waitingSignals(on: reactor) }

    private func waitingSignals(on reactor: isolated Reactor) -> [Name: String] {
        let signals = core.signals
        var waiting: [Name: String] = [:]
        signals.waiting.order.scan(after: nil, backwards: false) { place in
            waiting[place.name] = signals.owner(of: place.name)?.label ?? ""
            return true
        }
        return waiting
    }
}
