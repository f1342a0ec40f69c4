import ForgeBusProtocol
import ForgeOrchestrator
import ZeroMQ

/// How a simulated worker stands once what could go on has gone on.
package enum Settlement: Sendable {
    /// Nothing goes on by itself before this moment; nil if nothing waits for one.
    case quiet(next: ContinuousClock.Instant?)
    /// These went on for longer than there was patience.
    case busy([String])
    /// The worker has died or stopped, or its store failed.
    case over
}

/// Who waits until a simulated worker has settled; owned by the reactor thread.
struct Settlers {
    /// Whether the start-up is through.
    var isOpen = false
    /// Whether nothing is hosted any more.
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

/// Finding out when nothing of a simulated worker can go on.
extension WorkerLoop {
    var simulation: (any Simulation)? { simulated?.simulation }

    /// Runs a piece of work on the reactor's thread, soon; a simulated worker counts it.
    ///
    /// - Returns: Whether it will be run: false once the reactor was shut down.
    @discardableResult
    func submit(_ work: @escaping @Sendable (isolated Reactor) -> Void) -> Bool {
        simulated?.submit(work) ?? reactor.submit(work)
    }

    /// Waits until nothing can go on by itself.
    ///
    /// - Parameter patience: How long what executes may take, by the machine's clock.
    /// - Returns: How the worker stands then.
    func settle(within patience: Duration) async -> Settlement { await settle(within: patience, on: reactor) }

    private func settle(within patience: Duration, on reactor: isolated Reactor) async -> Settlement {
        if isOver { return .over }
        let limit = ContinuousClock.now + patience
        // The end of this very turn looks whether all is quiet.
        return await withCheckedContinuation { continuation in
            let number = settlers.add(continuation)
            reactor.schedule(at: limit) { [self] _ in settlers.resume(number, .busy(activities)) }
        }
    }

    /// At the end of each turn: those who wait learn whether something can go on.
    func tellIfSettled(_ reactor: isolated Reactor) {
        guard let simulated, !settlers.isEmpty else { return }
        if isOver { return settlers.resumeAll(.over) }
        guard simulated.isIdle, consequences.isEmpty, commits.isEmpty, held.isEmpty, activities.isEmpty else { return }
        // A turn's moment is that of its beginning: what became due meanwhile is met in the next.
        if let due = nextDue, due <= now() {
            submit { _ in }
            return
        }
        let next = nextDue.map { start.advanced(by: .nanoseconds($0.nanoseconds)) }
        settlers.resumeAll(.quiet(next: next))
    }

    /// Whether nothing is left to finish before the drain time is over; in a simulation, as soon as nothing goes on by itself.
    func drains(within drainTime: Duration) async -> Bool {
        guard simulated != nil else { return (try? await drained.wait(for: drainTime)) != nil }
        _ = await settle(within: drainTime)
        return drained.isCompleted
    }

    /// Does something of which a simulation knows what it is for.
    func whileSimulating(_ activity: Activity, _ body: @Sendable () async -> Void) async {
        guard simulated != nil else { return await body() }
        await Activity.$current.withValue(activity, operation: body)
    }

    private var isOver: Bool { settlers.hasStopped || failure != nil || simulated?.isFrozen == true }

    /// What executes now, and waits neither for time nor for a decision or a slot.
    private var activities: [String] {
        guard let simulation else { return [] }
        var busy = hosted.started.filter { !isWaiting($0) && !simulation.isAsleep(.run($0)) }.map { run in
            let action = hosted.currentAction(of: run).map { "the action \($0) of " } ?? ""
            return "\(action)the run \(run)"
        }
        for (number, monitor) in hosted.monitors.enumerated() {
            let isExcluded = monitor.orchestrator.isExcluded
            let lane = core.monitors.lanes[number]
            if lane.isRunning, !isExcluded, !simulation.isAsleep(.cycle(monitor: number)) {
                busy.append("a cycle of the monitor \(monitor.name)")
            }
            if monitor.orchestrator.isTicking, !simulation.isAsleep(.ticks(monitor: number)) {
                busy.append("the interval of the monitor \(monitor.name)")
            }
        }
        if !settlers.isOpen, !simulation.isAsleep(.startup) { busy.append("the start-up") }
        return busy.sorted()
    }

    private func isWaiting(_ run: Name) -> Bool { core.runs[run]?.isWaitingForOthers ?? false }

    /// Ends the worker as if its process were killed: nothing executes, and nothing is committed or said any more.
    func die() {
        guard let simulated else { return }
        simulated.freeze()
        reactor.submit { [self] _ in
            submissions.closeAll()
            settlers.resumeAll(.over)
            failed.complete()
            drained.complete()
        }
    }

    /// One thing as it stands, whoever may read it.
    func item(_ request: ShowRequest) async throws(BusError) -> JSONObject { try await item(request, on: reactor) }

    private func item(_ request: ShowRequest, on reactor: isolated Reactor) throws(BusError) -> JSONObject {
        try Reader(runs: core.runs, gates: core.signals.gates, monitors: core.monitors, now: now()).item(request)
    }

    /// How a run ended; nil if it has not, or is not known.
    func result(of run: Name) async -> RunResult? { await result(of: run, on: reactor) }

    private func result(of run: Name, on reactor: isolated Reactor) -> RunResult? { core.runs.ended[run]?.result }

    /// The signals that wait, each with its owner.
    func waitingSignals() async -> [Name: String] { await waitingSignals(on: reactor) }

    private func waitingSignals(on reactor: isolated Reactor) -> [Name: String] {
        let gates = core.signals.gates
        let waiting = gates.waitingSignals.map { ($0, gates.owner(of: $0)?.label ?? "") }
        return Dictionary(waiting) { first, _ in first }
    }
}
