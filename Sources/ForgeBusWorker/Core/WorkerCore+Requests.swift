import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// What requests for runs do: they are taken once, queued, run, and their result is kept for whoever asks again.
extension WorkerCore {
    mutating func run(_ request: RunRequest, _ received: Received, at now: Moment) {
        switch ledger.rule(on: received.key, received.fingerprint) {
        case .known(.run(let run)): return attach(request, received, to: run)
        case .conflict(let run): return refuse(received, .conflict(received.request.id, run))
        case .full: return refuse(received, .busy("ledger", "The answers of too many requests are kept."))
        case .known(.verdict): fatalError("The fingerprint covers the command: a run is no decision.")
        case .new: break
        }
        let durability = shortfall(of: request.durability, given: configuration.durability)
        if let error = closedDoor ?? durability { return refuse(received, error) }
        guard let pipeline = pipelines[request.pipeline] else { return refuse(received, unknown(request.pipeline)) }
        do throws(BusError) {
            let values = try Seed.values(of: request.seeds, declared: pipeline.seeds)
            try pipeline.checkGates(with: values)
            if let error = overload(pipeline.name, received.principal.name) { throw error }
            begin(request, with: values, received, at: now)
        } catch {
            refuse(received, error)
        }
    }

    private func overload(_ pipeline: PipelineName, _ principal: String) -> BusError? {
        if activeRuns[principal, default: 0] >= configuration.limits.unfinishedRuns {
            return .busy("unfinished", "\(principal) has \(configuration.limits.unfinishedRuns) unfinished runs.")
        }
        if queues[pipeline]?.isFull == true { return .busy("queued", "The queue of \(pipeline) is full.") }
        return nil
    }

    private mutating func begin(
        _ request: RunRequest,
        with values: [String: any Sendable],
        _ received: Received,
        at now: Moment
    ) {
        let id = mintRunID()
        let record = RequestRecord(key: received.key, fingerprint: received.fingerprint, outcome: .run(id))
        ledger.admit(record)
        keep(.request(record))
        let listener = Run.Listener(
            peer: received.peer,
            isDetached: request.isDetached,
            wantsProgress: request.wantsProgress
        )
        let run = Run(
            id: id,
            request: received.key,
            pipeline: request.pipeline,
            principal: received.principal.name,
            seeds: request.seeds,
            values: values,
            tellsTransitions: request.wantsProgress || configuration.durability == .fsynced,
            listeners: [listener]
        )
        runs[id] = run
        keep(.run(run.record(result: nil)))
        emit(.answer(acceptance(of: id, to: received.request.id), to: received.peer))
        countActive(run.principal, 1)
        if let deadline = request.deadline { deadlines.add(.runDeadline(id), at: now.advanced(by: deadline)) }
        queues[request.pipeline]?.enqueue(id)
        fillSlots(of: request.pipeline)
    }

    private func acceptance(of run: RunID, to id: RequestID, isReplayed: Bool = false) -> Answer {
        let durability = configuration.durability
        let acceptance = Acceptance.run(run, durability: durability, retention: configuration.retention)
        return Answer(to: id, .accepted(acceptance), isReplayed: isReplayed)
    }

    /// The same request again: its sender gets what the first one gets.
    private mutating func attach(_ request: RunRequest, _ received: Received, to run: RunID) {
        emit(.answer(acceptance(of: run, to: received.request.id, isReplayed: true), to: received.peer))
        if let result = ended[run]?.result {
            guard !request.isDetached else { return }
            emit(.answer(Answer(to: received.request.id, .result(result), isReplayed: true), to: received.peer))
        } else {
            let listener = Run.Listener(
                peer: received.peer,
                isDetached: request.isDetached,
                wantsProgress: request.wantsProgress
            )
            runs[run]?.attach(listener, atMost: configuration.limits.attachedConnections)
        }
    }

    /// Gives free slots to whoever waits for one.
    mutating func fillSlots(of pipeline: PipelineName) {
        while let ticket = queues[pipeline]?.next() {
            switch ticket {
            case .start(let id): start(id)
            case .resume(let id): resume(id)
            }
        }
    }

    private mutating func start(_ id: RunID) {
        guard let run = runs[id] else { fatalError("The queue held a run that is not known.") }
        runs[id]?.state = .running
        runs[id]?.holdsSlot = true
        let tells = run.tellsTransitions
        emit(.start(RunStart(run: id, pipeline: run.pipeline, values: run.values, tellsTransitions: tells)))
    }

    mutating func tell(_ transition: PipelineTransition, of run: RunID) {
        switch transition {
        case .eligible: break
        case .started(let action): tell(.started(action: action.rawValue), of: run, toAll: false)
        case .finished(let report):
            let outcome = ActionOutcome(report)
            tell(.finished(action: outcome.action, outcome.result), of: run, toAll: false)
        }
    }

    mutating func tell(_ change: RunProgress.Change, of id: RunID, toAll: Bool) {
        guard var run = runs[id] else { return }
        run.changesTold += 1
        runs[id] = run
        let progress = RunProgress(run: id, sequence: run.changesTold, change: change)
        for listener in run.listeners where !listener.isDetached && (toAll || listener.wantsProgress) {
            emit(.answer(Answer(to: run.request.id, .progress(progress)), to: listener.peer))
        }
    }

    /// The run's actions are through.
    mutating func end(_ id: RunID, _ report: PipelineReport, _ outputs: JSONObject, _ flaw: String?, at now: Moment) {
        guard let run = runs[id] else { return }
        let actions = report.actions.map(ActionOutcome.init)
        let state: RunResult.State
        let reason: String
        if case .stopping(let final, let why) = run.state {
            (state, reason) = (final, why)
        } else if let failed = report.actions.first(where: \.isFailed), case .failed(let why) = failed.result {
            (state, reason) = (.failed, "\(failed.id): \(why)")
        } else if let flaw {
            (state, reason) = (.failed, flaw)
        } else {
            (state, reason) = (.completed, "")
        }
        finish(run, RunResult(run: id, state: state, reason: reason, actions: actions, outputs: outputs), at: now)
    }

    /// The run is to end as `state`: its waits end now, its task is cancelled, its result comes when its action returns.
    mutating func stop(_ id: RunID, as state: RunResult.State, reason: String, at now: Moment) {
        guard var run = runs[id] else { return }
        if case .stopping = run.state { return }
        queues[run.pipeline]?.withdraw(id)
        if case .queued = run.state {
            return finish(run, RunResult(run: id, state: state, reason: reason, actions: []), at: now)
        }
        run.state = .stopping(state, reason: reason)
        runs[id] = run
        // Cancelled before its waits end: no action may begin on the strength of a wait that was closed.
        emit(.cancel(id))
        closeWaits(of: id, why: "Its run ended: \(reason)", at: now)
        deadlines.add(.runGrace(id), at: now.advanced(by: configuration.cancelGrace))
    }

    /// The grace is over and the action has not returned: the run ends without it, and it can no longer change anything.
    mutating func abandon(_ id: RunID, at now: Moment) {
        guard let run = runs[id], case .stopping(let state, let reason) = run.state else { return }
        let why = "\(reason) Its action did not return in time and was abandoned."
        finish(run, RunResult(run: id, state: state, reason: why, actions: []), at: now)
    }

    private mutating func finish(_ run: Run, _ result: RunResult, at now: Moment) {
        closeWaits(of: run.id, why: "Its run ended.", at: now)
        // A queue can be long, and a run that executes and waits for nothing is not in it.
        if !run.holdsSlot || !run.waits.isEmpty { queues[run.pipeline]?.withdraw(run.id) }
        if run.isActive { countActive(run.principal, -1) }
        if run.holdsSlot { queues[run.pipeline]?.release() }
        runs[run.id] = nil
        ended[run.id] = (run.pipeline, result)
        ledger.finish(run.request, at: now)
        keep(.run(run.record(result: result)))
        for listener in run.listeners where !listener.isDetached {
            emit(.answer(Answer(to: run.request.id, .result(result)), to: listener.peer))
        }
        fillSlots(of: run.pipeline)
        reportIfDrained()
    }

    mutating func countActive(_ principal: String, _ change: Int) {
        let count = activeRuns[principal, default: 0] + change
        activeRuns[principal] = count == 0 ? nil : count
    }

    mutating func forgetRequests(at now: Moment) {
        for (key, outcome) in ledger.forget(at: now) {
            forget(.request(key))
            guard case .run(let run) = outcome else { continue }
            ended[run] = nil
            forget(.run(run))
        }
    }

    mutating func drain() {
        guard phase != .draining else { return }
        phase = .draining
        reportIfDrained()
    }

    /// The drain time is over: what a store cannot keep is lost, and its sender is told so.
    mutating func loseWhatIsLeft(at now: Moment) {
        let left = runs.values.sorted { $0.id < $1.id }
        // None of them gets the slot of another that ends here.
        for run in left { queues[run.pipeline]?.withdraw(run.id) }
        for run in left {
            emit(.cancel(run.id))
            let reason = "The worker stopped before the run ended."
            finish(run, RunResult(run: run.id, state: .lost, reason: reason, actions: []), at: now)
        }
        for owed in evaluations.expireAll() { emit(.answer(owed.answer, to: owed.peer)) }
        // A cycle that still runs is waited for no longer.
        if !lanes.allSatisfy(\.isSettled) { emit(.drained) }
    }

    mutating func reportIfDrained() {
        guard phase == .draining, runs.isEmpty, lanes.allSatisfy(\.isSettled) else { return }
        emit(.drained)
    }

    private func unknown(_ name: PipelineName) -> BusError {
        let names = pipelines.keys.map(\.text).sorted()
        let guess = Spelling.guess(name.text, among: names).map { " Did you mean `\($0)`?" } ?? ""
        return BusError(
            .unknownPipeline,
            "No pipeline \(Printable.quoted(name.text)) is served here.\(guess)",
            next: names.isEmpty ? "This worker serves none." : "Run one of \(names.joined(separator: ", "))."
        )
    }
}

extension Run {
    func record(result: RunResult?) -> RunRecord {
        RunRecord(run: id, request: request, pipeline: pipeline, seeds: seeds, result: result)
    }

    /// A connection gets the answers from now on; of too many, the oldest gets them no longer.
    fileprivate mutating func attach(_ listener: Listener, atMost capacity: Int) {
        listeners.removeAll { $0.peer == listener.peer }
        if listeners.count >= max(1, capacity) { listeners.removeFirst() }
        listeners.append(listener)
    }
}

extension BusError {
    static func conflict(_ id: RequestID, _ run: RunID?) -> BusError {
        BusError(
            .idConflict,
            "The id \(Printable.quoted(id.text)) was used for other content\(run.map { ", which began run \($0)" } ?? "").",
            next: "Send new content under a new id.",
            details: run.map { ["run": .string($0.text)] } ?? [:]
        )
    }
}
