import ForgeBusProtocol
import ForgeOrchestrator
import ZeroMQ

@testable import ForgeBusWorker

/// The task of a run: what its action is doing.
struct SimulatedTask {
    let run: RunID
    let tellsTransitions: Bool
    /// What it waits for: signals it has opened.
    var waits: [(signal: SignalID, waiter: WaiterID)] = []
    /// The pause before it tries again.
    var pause: WaiterID?
    var isParked = false
    var attempt = 1
    var isCancelled = false
    /// Whether it heeds no cancellation, and may never return.
    var isHanging: Bool
    /// Whether the worker waits for it no longer: what it does now must change nothing.
    var isGivenUp = false
}

// How tasks go on.
extension SimulatedBus {
    mutating func begin(_ start: RunStart) {
        if tasks.contains(where: { $0.run == start.run && !$0.isGivenUp }) { rules.violate("\(start.run) began twice") }
        begun = max(begun, Int(start.run.text.dropFirst(4)) ?? 0)
        let isHanging = generator.oneIn(6)
        tasks.append(SimulatedTask(run: start.run, tellsTransitions: start.tellsTransitions, isHanging: isHanging))
    }

    /// One of the tasks goes on.
    mutating func progressTask() {
        guard !tasks.isEmpty else { return }
        let index = generator.below(tasks.count)
        let task = tasks[index]
        if task.isGivenUp { return generator.oneIn(3) ? haunt(index) : () }
        if task.pause != nil { return }
        if !task.waits.isEmpty { return progressWait(index) }
        if task.isCancelled { return task.isHanging ? () : end(index) }
        switch generator.below(14) {
        case 0...5: open(index)
        case 6: pause(index)
        case 7: if tasks.count(where: \.isParked) < 3 { park(index) }
        case 8...9: tell(index)
        default: if !task.isHanging || generator.oneIn(4) { end(index) }
        }
    }

    /// It waits; it may give up, open another signal beside, or open the same one again.
    private mutating func progressWait(_ index: Int) {
        let (signal, waiter) = tasks[index].waits[0]
        switch generator.below(10) {
        case 0: step(.withdrawn(signal, waiter, why: "It gave up."))
        case 1...3: if tasks[index].waits.count < 2 { open(index) }
        case 4: open(signal, owner: .action(tasks[index].run, "a"), deadline: nil, task: index)
        default: break
        }
    }

    private mutating func open(_ index: Int) {
        let signal = SignalID(unchecked: "g\(signalNumber(reach: 4))")
        let deadline: Duration? = generator.oneIn(2) ? .milliseconds(500 + generator.below(4_000)) : nil
        open(signal, owner: .action(tasks[index].run, "a"), deadline: deadline, task: index)
    }

    mutating func open(_ signal: SignalID, owner: SignalOwner, deadline: Duration?, task index: Int? = nil) {
        let waiter = mintWaiter()
        opened += 1
        if let index { tasks[index].waits.append((signal, waiter)) } else { startWait = (signal, waiter) }
        let kind: SignalKind = generator.oneIn(3) ? .signal : .gate
        let rule = kind == .gate ? gateRule() : .anybody
        let waiting = GateBook.Waiting(owner: owner, kind: kind, waiter: waiter, rule: rule)
        rules.waits(waiter, for: signal)
        step(.opened(SignalOpening(signal: signal, waiting: waiting, deadline: kind == .gate ? deadline : nil)))
    }

    private mutating func gateRule() -> GateRule {
        switch generator.below(6) {
        case 0: GateRule(allowed: ["ada", "bob"], requesterMayDecide: false)
        case 1: GateRule(allowed: ["bob"])
        default: .anybody
        }
    }

    private mutating func pause(_ index: Int) {
        let waiter = mintWaiter()
        tasks[index].attempt += 1
        tasks[index].pause = waiter
        let kind = RunPause.Kind.retry(attempt: tasks[index].attempt, after: .milliseconds(generator.below(3_000)))
        rules.waits(waiter, for: nil)
        step(.paused(RunPause(run: tasks[index].run, action: "a", waiter: waiter, kind: kind)))
    }

    private mutating func park(_ index: Int) {
        let waiter = mintWaiter()
        (tasks[index].pause, tasks[index].isParked) = (waiter, true)
        rules.waits(waiter, for: nil)
        step(.paused(RunPause(run: tasks[index].run, action: "a", waiter: waiter, kind: .redrive(reason: "no"))))
    }

    private mutating func tell(_ index: Int) {
        let task = tasks[index]
        step(.transition(task.run, generator.oneIn(2) ? .started("a") : .finished(PipelineReport.test().actions[0])))
    }

    private mutating func end(_ index: Int) {
        let run = tasks.remove(at: index).run
        let flaw = generator.oneIn(12) ? "An output has no JSON form." : nil
        let outputs: JSONObject = generator.oneIn(3) ? ["o": "what is kept"] : [:]
        step(.runEnded(run, .test(failing: generator.oneIn(4) ? "no" : nil), outputs: outputs, flaw: flaw))
    }

    /// A task that was given up goes on all the same.
    private mutating func haunt(_ index: Int) {
        switch generator.below(10) {
        case 0...1: open(index)
        case 2...3: pause(index)
        case 4...5: tell(index)
        case 6...7: park(index)
        default: end(index)
        }
    }

    private mutating func mintWaiter() -> WaiterID {
        lastWaiter += 1
        return WaiterID(number: lastWaiter)
    }
}

// What the worker does to tasks.
extension SimulatedBus {
    /// A wait goes on, or is over.
    mutating func resume(_ waiter: WaiterID, _ outcome: WaitOutcome) {
        if case .registered = outcome { return }
        if startWait?.waiter == waiter { startWait = nil }
        for index in tasks.indices {
            tasks[index].waits.removeAll { $0.waiter == waiter }
            guard tasks[index].pause == waiter else { continue }
            (tasks[index].pause, tasks[index].isParked) = (nil, false)
        }
    }

    /// Its task is cancelled, and so gives up what it waits for.
    mutating func cancel(_ run: RunID) {
        for index in tasks.indices where tasks[index].run == run {
            tasks[index].isCancelled = true
            for (signal, waiter) in tasks[index].waits {
                posted.append(.withdrawn(signal, waiter, why: "Its task was cancelled."))
            }
        }
    }

    /// The worker asks which action did not return.
    mutating func abandon(_ run: RunID) {
        posted.append(.abandoned(run, action: generator.oneIn(3) ? nil : "a"))
        for index in tasks.indices where tasks[index].run == run { tasks[index].isGivenUp = true }
    }

    /// Every task comes to its end, and an operator ends those that are parked.
    mutating func endTasks() {
        if let (signal, waiter) = startWait { step(.withdrawn(signal, waiter, why: "The end.")) }
        for index in tasks.indices.reversed() {
            let task = tasks[index]
            if task.isGivenUp, !generator.oneIn(20) {
                if generator.oneIn(4) { haunt(index) }
                continue
            }
            if task.isParked { steer(task.run) }
            if let (signal, waiter) = task.waits.first { step(.withdrawn(signal, waiter, why: "The end.")) }
            if task.pause == nil, task.waits.isEmpty { end(index) }
        }
    }

    /// Somebody redrives or cancels the run, if nobody is about to do so; a worker that stops takes no redrive.
    private mutating func steer(_ run: RunID) {
        let isAsked = clients[0].pending.contains { pending in
            switch pending.request.command {
            case .cancel(let request): request.run == run
            case .redrive(let request): request.run == run && !isDraining
            default: false
            }
        }
        guard !isAsked else { return }
        let command: Request.Command =
            isDraining || generator.oneIn(2) ? .cancel(CancelRequest(run: run)) : .redrive(RedriveRequest(run: run))
        guard let id = try? RequestID(clients[0].newID(for: command)) else { return }
        network.send(clients[0].ask(Request(command, id: id)))
    }
}
