import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

@testable import ForgeBusWorker

/// How a worker dies or stops, and another one takes its place.
extension SimulatedBus {
    /// In one of three schedules the worker dies, once to three times, often soon after the time before.
    mutating func planCrashes(within steps: Int) {
        guard generator.oneIn(3) else { return }
        var step = generator.below(steps)
        for _ in 0...generator.below(3) {
            crashes.append(step)
            step += 1 + generator.below(generator.oneIn(2) ? 8 : 40)
        }
    }

    /// The worker dies: its tasks and connections with it, and all that was not written.
    mutating func crash() {
        crashes.removeFirst()
        coverage.recordCrash(harness.core)
        note("the worker dies")
        restart(from: store.crash(&generator), afterCrash: true)
    }

    /// The worker stops in its own time, and leaves what it keeps to another.
    mutating func stopAndRestart() {
        isDraining = true
        step(.drain)
        for _ in 0..<generator.below(30) where rules.violations.isEmpty && !harness.core.hasLeft { act() }
        endTurn()
        if !harness.core.hasLeft { endDrainTime() }
        while !store.isIdle { commit() }
        if !store.isEverythingOut { rules.violate("it stopped with effects that were never carried out") }
        note("the worker has stopped")
        restart(from: store.reopen(&generator), afterCrash: false)
    }

    private mutating func restart(from records: [StoreRecord], afterCrash isCrash: Bool) {
        guard rules.violations.isEmpty else { return }
        takeOver(from: records, afterCrash: isCrash)
        beginStart()
    }

    /// Another worker has all that is left, and is not ready yet.
    mutating func takeOver(from records: [StoreRecord], afterCrash isCrash: Bool) {
        (turn, tasks, posted, startWait, isDraining) = (Consequences(), [], [], nil, false)
        (givenUp, attempts, speakers) = ([], [:], [:])
        announcesAgain = generator.oneIn(2)
        monitors = monitors.map { _ in SimulatedMonitor() }
        for client in clients.indices {
            network.close(clients[client].peer)
            clients[client].reconnect(keepingItsRequests: true)
        }
        harness.oversleep(.milliseconds(generator.below(generator.oneIn(3) ? 60_000 : 1_000)))
        let pipelines = BusSetting.served(
            revision: generator.oneIn(12) ? "2" : "",
            changing: generator.oneIn(4) ? BusSetting.actions[generator.below(BusSetting.actions.count)] : nil,
            seed: seed
        )
        let definitions = Dictionary(uniqueKeysWithValues: pipelines.map { ($0.name, RunDefinition(of: $0)) })
        rules.restarts(from: records, under: definitions, afterCrash: isCrash, at: harness.now)
        coverage.restarts(from: records)
        resting = rules.left.sorted { $0.key < $1.key }.map { SimulatedRest(left: $0.value, harness.now) }
        rules.audited = harness.audited.count
        let consequences = harness.restart(from: records) { $0.pipelines = pipelines }.inSteadyOrder
        coverage.changed(consequences.changes)
        note("another worker takes over \(records.count) records", consequences)
        rules.restarted(consequences, harness)
        turn = consequences
        endTurn()
    }

    /// A process that stopped waiting at a gate with its worker waits again, so that nothing waits for nobody; a plain
    /// signal may be announced no more.
    mutating func waitAgainAtStart() {
        guard startWait == nil else { return }
        let orphans = harness.kept.values.compactMap { record -> Name? in
            guard case .signal(let signal) = record, case .waiting(let wait, _) = signal.state,
                case .process = wait.owner, wait.isGate || announcesAgain
            else { return nil }
            return signal.signal
        }
        if let signal = orphans.min() { open(signal, owner: .process("start"), deadline: nil) }
    }
}

extension SimulatedRest {
    /// A run as an earlier worker left it.
    fileprivate init(left: BusRules.Left, _ now: Moment) {
        let progress = left.progress
        let kind: RunRest.Kind
        if left.isParked {
            kind = .failed(reason: "no")
        } else if let gate = left.gate {
            kind = .gate(gate, rule: .anybody, deadline: nil)
        } else {
            kind = .failed(reason: "no")
        }
        let rest = RunRest(
            run: progress.run,
            action: left.action ?? "",
            waiter: WaiterID(number: 0),
            kind: kind,
            eligible: left.isKnown ? progress.eligible ?? [] : [],
            actions: left.isKnown ? progress.actions : []
        )
        self.init(rest: rest, attempt: left.isKnown ? progress.attempt : 1, isParked: left.isParked, isLeft: true)
    }
}
