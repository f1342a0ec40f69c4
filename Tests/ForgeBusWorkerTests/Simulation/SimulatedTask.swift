import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

@testable import ForgeBusWorker

/// The task of a run, from being taken up to its end or its next rest: what its action is doing.
struct SimulatedTask {
    let start: RunStart
    /// The actions whose conditions held; nil while they are asked.
    var eligible: [String]?
    /// How those ended that have.
    var outcomes: [ActionOutcome] = []
    /// What the action waits for: signals it has opened.
    var waits: [(signal: Name, waiter: WaiterID)] = []
    /// The commit that it waits for before its next action begins.
    var checkpoint: WaiterID?
    /// What the rest ended with at its action, until that has ended.
    var answer: WaitOutcome?
    var attempt = 1
    /// How many attempts at the action came before those that count.
    var earlierAttempts: Int
    var isCancelled = false
    /// Whether it heeds no cancellation, and may never return.
    var isHanging = false
    /// Whether the worker waits for it no longer: what it does now must change nothing.
    var isGivenUp = false

    var run: Name { start.run }
    /// Whether it is only to say what the run came to.
    var isOver: Bool { start.resumption?.isOver == true }
    /// The action under way, or the next one; nil when all have ended, or the conditions are being asked.
    var action: String? {
        guard let eligible, outcomes.count < eligible.count else { return nil }
        return eligible[outcomes.count]
    }

    init(_ start: RunStart, isHanging: Bool) {
        self.start = start
        earlierAttempts = start.earlierAttempts
        guard let resumption = start.resumption else {
            self.isHanging = isHanging
            return
        }
        let eligible = resumption.eligible.map(\.rawValue)
        self.eligible = eligible
        outcomes = eligible.prefix(resumption.results.count).map { action in
            let id = ActionID(action)
            let result = resumption.results[id] ?? .skipped
            return ActionOutcome(ActionReport(id: id, result: result, start: .zero, duration: .zero))
        }
        answer = resumption.answer?.outcome
        attempt = resumption.attempt
        isCancelled = resumption.isOver
        self.isHanging = isHanging && !resumption.isOver
    }
}

// How tasks go on.
extension SimulatedBus {
    mutating func begin(_ start: RunStart) {
        if tasks.contains(where: { $0.run == start.run && !$0.isGivenUp }) { rules.violate("\(start.run) has a task") }
        let isNew = start.resumption == nil && !resting.contains { $0.rest.run == start.run }
        if isNew { begun.append(start.run) } else { takeUp(start) }
        tasks.append(SimulatedTask(start, isHanging: generator.oneIn(6)))
        execute(tasks.count - 1)
    }

    /// The action of a task begins to execute; a gate does not, nor one that has failed for good, nor one of a run that
    /// is over.
    private mutating func execute(_ index: Int) {
        let task = tasks[index]
        guard let action = task.action, !BusSetting.gates.contains(action), !task.isCancelled, task.checkpoint == nil
        else { return }
        if case .failed = task.answer { return }
        rules.executed(action, of: task.run, attempt: task.attempt + task.earlierAttempts)
    }

    /// One of the tasks goes on.
    mutating func progressTask() {
        guard !tasks.isEmpty else { return }
        let index = generator.below(tasks.count)
        let task = tasks[index]
        if task.isGivenUp { return generator.oneIn(3) ? haunt(index) : () }
        if task.checkpoint != nil { return }
        if !task.waits.isEmpty { return progressWait(index) }
        if task.isOver { return end(index) }
        // An action that was cancelled may be one that rests all the same.
        if task.isCancelled { return task.isHanging ? () : generator.oneIn(4) ? rest(index) : end(index) }
        if task.eligible == nil { return askConditions(index) }
        guard task.action != nil else { return end(index) }
        if let answer = task.answer { return take(answer, index) }
        let isGate = BusSetting.gates.contains(task.action ?? "")
        switch generator.below(16) {
        case 0...3: if isGate { rest(index) } else { open(index) }
        case 4...7: rest(index)
        // It fails more often than others, because few runs come so far.
        case 9...14 where task.action == "c": rest(index)
        case 8: tell(index, .started(ActionID(task.action ?? "")))
        default: if !task.isHanging || generator.oneIn(4) { finish(index) }
        }
    }

    private mutating func askConditions(_ index: Int) {
        let all = BusSetting.actions
        let count = generator.oneIn(2) ? 1 : generator.oneIn(8) ? 0 : 1 + generator.below(all.count)
        let eligible = Array(generator.oneIn(2) ? all.prefix(count) : all.suffix(count))
        tasks[index].eligible = eligible
        execute(index)
        tell(index, .eligible(eligible.map { ActionID($0) }))
    }

    /// The action goes on where the run rested: a gate ends with its decision, what failed is executed again.
    private mutating func take(_ answer: WaitOutcome, _ index: Int) {
        tasks[index].answer = nil
        switch answer {
        case .registered, .proceed: break
        case .requested, .ended: finish(index, failing: false)
        case .decided(.approved): finish(index, failing: false)
        case .failed: finish(index, failing: true)
        case .decided, .refused: if generator.oneIn(4) { rest(index) } else { finish(index, failing: true) }
        }
    }

    /// It waits; it may give up, open another signal beside, or open the same one again.
    private mutating func progressWait(_ index: Int) {
        let waits = tasks[index].waits
        let (signal, waiter) = waits[generator.below(waits.count)]
        switch generator.below(10) {
        case 0: step(.withdrawn(signal, waiter, why: "It gave up."))
        case 1...3: if tasks[index].waits.count < 2 { open(index) }
        case 4: open(signal, owner: owner(index), deadline: nil, task: index)
        default: break
        }
    }

    private func owner(_ index: Int) -> SignalOwner { .action(tasks[index].run, tasks[index].action ?? "a") }

    private mutating func open(_ index: Int) {
        open(nextSignal(), owner: owner(index), deadline: gateDeadline(), task: index)
    }

    mutating func nextSignal() -> Name { Name(unchecked: "g\(signalNumber(reach: 4))") }

    mutating func gateDeadline() -> Duration? {
        guard generator.oneIn(2) else { return nil }
        return .milliseconds(500 + generator.below(4_000)) * (isVoting ? 20 : 1)
    }

    mutating func open(_ signal: Name, owner: SignalOwner, deadline: Duration?, task index: Int? = nil) {
        let waiter = mintWaiter()
        opened += 1
        if let index { tasks[index].waits.append((signal, waiter)) } else { startWait = (signal, waiter) }
        let kind: SignalKind = generator.oneIn(3) ? .signal : .gate
        let rule = kind == .gate ? gateRule() : .anybody
        let waiting = SignalWait(owner: owner, kind: kind, waiter: waiter, rule: rule)
        rules.waits(waiter, for: signal)
        step(.opened(SignalOpening(signal: signal, waiting: waiting, deadline: kind == .gate ? deadline : nil)))
    }

    mutating func gateRule() -> GateRule {
        switch generator.below(isVoting ? 6 : 12) {
        case 0: GateRule(allowed: ["ada", "bob"], requesterMayDecide: false)
        case 1: GateRule(allowed: ["bob"])
        case 2: GateRule(allowed: [.group("release"), "carl"], approvals: 2)
        case 3: GateRule(approvals: 2, rejections: 2, reminder: .milliseconds(300))
        case 4:
            GateRule(
                allowed: ["ada"],
                approvals: 2,
                escalation: GateRule.Escalation(after: .milliseconds(600), allowed: [.group("managers"), "bob"])
            )
        case 5: GateRule(allowed: [.group("release"), .group("managers")], approvals: 3, rejections: 2)
        default: .anybody
        }
    }

    private mutating func tell(_ index: Int, _ transition: PipelineTransition) {
        step(.transition(tasks[index].run, transition))
    }

    /// The action ends, and the next one begins: at once, or when that is committed.
    mutating func finish(_ index: Int, failing: Bool? = nil) {
        guard let action = tasks[index].action else { return end(index) }
        let isFailing = failing ?? generator.oneIn(4)
        let report = PipelineReport.test(ActionID(action), failing: isFailing ? "no" : nil).actions[0]
        let run = tasks[index].run
        if generator.oneIn(6) {
            let text = PrintedText("text")
            // What an abandoned action prints comes when its run is over.
            // A worker that has just started has begun none.
            let printing = !begun.isEmpty && generator.oneIn(8) ? begun[generator.below(begun.count)] : run
            step(.printed(printing, PrintedOutput(action: action, attempt: 1, output: text, errors: text)))
        }
        tasks[index].outcomes.append(ActionOutcome(report))
        (tasks[index].attempt, tasks[index].answer) = (1, nil)
        tasks[index].earlierAttempts = tasks[index].start.unrecorded
        let values = values()
        let isLast = tasks[index].action == nil
        guard generator.oneIn(6) else {
            execute(index)
            step(.transition(run, .finished(report), values))
            return isLast && generator.oneIn(2) ? endTask(of: run) : ()
        }
        let waiter = mintWaiter()
        tasks[index].checkpoint = waiter
        rules.waits(waiter, for: nil)
        step(.transition(run, .finished(report), values, checkpoint: waiter))
    }

    private mutating func endTask(of run: Name) {
        if let index = tasks.firstIndex(where: { $0.run == run && !$0.isGivenUp }) { end(index) }
    }

    private mutating func values() -> RunValues {
        guard generator.oneIn(3) else { return RunValues() }
        let key = generator.oneIn(2) ? "v" : "w"
        if generator.oneIn(10) { return RunValues(values: [], unkept: key) }
        return RunValues(values: [.init(key: key, type: "Swift.Int", json: Array("\(generator.below(9))".utf8))])
    }

    /// All of the run's actions are through: those that were to come are skipped where it was cancelled.
    mutating func end(_ index: Int) {
        let task = tasks.remove(at: index)
        let reason: String? = generator.oneIn(4) ? "no" : nil
        let left = (task.eligible ?? []).dropFirst(task.outcomes.count).enumerated().flatMap { offset, action in
            if offset > 0 || task.isOver, task.isCancelled {
                return [ActionOutcome(action: action, result: .skipped, start: .zero, duration: .zero)]
            }
            return [ActionOutcome].test(ActionID(action), failing: reason)
        }
        let flaw = generator.oneIn(12) ? "An output has no JSON form." : nil
        let outputs: JSONObject = generator.oneIn(3) ? ["o": "what is kept"] : [:]
        step(.runEnded(task.run, task.outcomes + left, outputs: outputs, flaw: flaw))
    }

    /// A task that was given up goes on all the same.
    private mutating func haunt(_ index: Int) {
        switch generator.below(10) {
        case 0...1: open(index)
        case 2...6: rest(index)
        case 7...8: tell(index, .started("a"))
        default: end(index)
        }
    }

    mutating func mintWaiter() -> WaiterID {
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
            guard tasks[index].checkpoint == waiter else { continue }
            tasks[index].checkpoint = nil
            execute(index)
        }
    }

    /// Its task is cancelled, and so gives up what it waits for.
    mutating func cancel(_ run: Name) {
        for index in tasks.indices where tasks[index].run == run {
            tasks[index].isCancelled = true
            for (signal, waiter) in tasks[index].waits {
                let why = "The program that waited for this signal has cancelled its wait."
                posted.append(.withdrawn(signal, waiter, why: why))
            }
        }
    }

    /// The worker asks which action did not return.
    mutating func abandon(_ run: Name) {
        let action = tasks.first { $0.run == run && !$0.isGivenUp }?.action
        posted.append(.abandoned(run, action: generator.oneIn(3) ? nil : action))
        for index in tasks.indices where tasks[index].run == run { tasks[index].isGivenUp = true }
        givenUp.insert(run)
    }

    /// Every task comes to its end, and somebody ends or decides what waits for somebody.
    mutating func endTasks() {
        waitAgainAtStart()
        if let (signal, waiter) = startWait { step(.withdrawn(signal, waiter, why: "The end.")) }
        for index in tasks.indices.reversed() {
            let task = tasks[index]
            if task.isGivenUp, !generator.oneIn(30) {
                // Most of all when nothing is known of its run any more.
                let isForgotten = harness.core.runs[task.run] == nil && harness.core.ended[task.run] == nil
                if isForgotten || generator.oneIn(4) { haunt(index) }
                continue
            }
            if let (signal, waiter) = task.waits.first { step(.withdrawn(signal, waiter, why: "The end.")) }
            if index < tasks.count, tasks[index].checkpoint == nil, tasks[index].waits.isEmpty { end(index) }
        }
        for rest in resting where rest.needsSomebody { steer(rest) }
    }
}
