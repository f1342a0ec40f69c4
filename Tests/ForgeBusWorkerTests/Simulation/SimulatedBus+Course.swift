import ForgeBusProtocol
import ForgeOrchestrator

@testable import ForgeBusWorker

/// How a schedule begins and ends.
extension SimulatedBus {
    /// The start: the start-up sequence may wait for a signal, and decisions may come before the worker is ready.
    mutating func beginStart() {
        if generator.oneIn(3) {
            openAtStart(generator.oneIn(2) ? "g0" : "g1")
            for _ in 0..<generator.below(generator.oneIn(2) ? 150 : 12) {
                if !crashes.isEmpty, generator.oneIn(60) { return crash() }
                actAtStart()
            }
        }
        if !isDurable, generator.oneIn(50) {
            isDraining = true
            step(.drain)
        }
        step(.ready)
    }

    /// The start-up sequence waits for a signal, perhaps again.
    private mutating func openAtStart(_ signal: Name) {
        open(signal, owner: .process("start"), deadline: .seconds(2))
    }

    private mutating func actAtStart() {
        switch generator.below(16) {
        case 0...4: request()
        case 5...9: deliver()
        case 10: if generator.oneIn(4) { publish() } else { commit() }
        case 11: if generator.oneIn(8) { replaceAccess() } else { progressMonitor() }
        case 14 where !tasks.isEmpty: progressTask()
        case 12: if generator.oneIn(8) { trouble() } else if generator.oneIn(8) { changeRoom() } else { handOver() }
        case 13: if let signal = startWait?.signal { openAtStart(signal) }
        case 14:
            if generator.oneIn(3), let (signal, waiter) = startWait { step(.withdrawn(signal, waiter, why: "No.")) }
        default: pass(.milliseconds(generator.below(900)))
        }
    }

    private var isDurable: Bool { harness.core.isDurable }

    /// The worker is stopped in the midst of it.
    mutating func drainAbruptly() {
        if isDurable { return stopAndRestart() }
        isDraining = true
        step(.drain)
        for _ in 0..<generator.below(30) where rules.violations.isEmpty { act() }
        guard generator.oneIn(2) else { return }
        endDrainTime()
        for _ in 0..<generator.below(8) where rules.violations.isEmpty { act() }
    }

    mutating func endDrainTime() {
        rules.drainTimeEnded()
        step(.drainTimeEnded)
        endTurn()
    }

    /// No faults any more: whoever still asks gets its answer, and everything comes to its end.
    mutating func settle() {
        network.faults = .none
        replaceAccess(by: .usual)
        step(.room(.ample))
        for round in 0..<600 where rules.violations.isEmpty && !(isOver && round > 1) {
            settleOnce()
            // Until then an early decision may take the room of another.
            if round % 30 == 29 { pass(WireLimits.defaultKeep) }
            // A worker that stops before it was ready goes on with nothing that it took over.
            if round == 20, isDraining, !rules.wasReady { endDrainTime() }
        }
        if !isDraining {
            isDraining = true
            step(.drain)
            for _ in 0..<4 where rules.violations.isEmpty { settleOnce() }
        }
        endTurn()
        while !store.isIdle { commit() }
        checkEnd()
    }

    private mutating func settleOnce() {
        liftExclusions()
        resumeAll()
        for client in clients.indices { resendAll(client) }
        while !network.isEmpty { deliver() }
        endTurn()
        while !store.isIdle { commit() }
        endTasks()
        endCycles()
        while !posted.isEmpty { handOver() }
        pass(.seconds(1))
    }

    private var isOver: Bool {
        harness.core.runs.isEmpty && tasks.isEmpty && posted.isEmpty && turn.isEmpty && store.isIdle
            && monitors.allSatisfy(\.isIdle)
            && clients.allSatisfy { $0.isServed(orSentAway: isDraining) } && harness.core.evaluations.count == 0
    }

    /// Beyond every retention.
    private static let longEnough = Duration.seconds(30 * 24 * 3600)

    private mutating func checkEnd() {
        guard rules.violations.isEmpty else { return }
        for rest in resting where harness.core.runs[rest.rest.run] != nil || !rest.isLeft {
            rules.violate("\(rest.rest.run) rests for ever")
        }
        for client in clients where !client.isServed(orSentAway: true) {
            rules.violate("client \(client.number) never got its answers: \(client.unserved)")
        }
        pass(Self.longEnough)
        // What it keeps is for the worker that takes its place, and that one keeps nothing for ever.
        if harness.core.hasLeft {
            takeOver(from: store.reopen(&generator), afterCrash: false)
            pass(Self.longEnough)
        }
        endTurn()
        while !store.isIdle { commit() }
        rules.checkEnd(harness, isEverythingOut: store.isEverythingOut)
    }
}
