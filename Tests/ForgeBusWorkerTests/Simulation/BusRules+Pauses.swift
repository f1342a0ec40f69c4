import ForgeBusProtocol
import ForgeBusStore

@testable import ForgeBusWorker

/// Nothing new starts while it is paused, and a pause ends when its time is over or somebody ends it.
extension BusRules {
    mutating func paused(_ change: StoreChange) {
        switch change {
        case .put(.pause(let record)):
            saw("paused \(record.subject.kind.rawValue)")
            pauses[record.subject] = record
        case .remove(.pipelinePause(let name)): resumed(PauseSubject(.pipeline, name))
        case .remove(.monitorPause(let name)): resumed(PauseSubject(.monitor, name))
        case .put, .remove, .append, .audit, .output: break
        }
    }

    private mutating func resumed(_ subject: PauseSubject) {
        saw("resumed \(subject.kind.rawValue)")
        if pauses.removeValue(forKey: subject) == nil { violate("\(subject) is resumed, and was not paused") }
    }

    /// A monitor begins no cycle from now on, or may again.
    mutating func paused(_ isPaused: Bool, _ monitor: Int, _ core: WorkerState) {
        let subject = PauseSubject(.monitor, core.lanes[monitor].name)
        if isPaused != (pauses[subject] != nil) { violate("\(subject) is paused: \(isPaused), and kept otherwise") }
    }

    /// A run that is to end needs no slot, and one that need not wait at its action keeps its slot.
    mutating func checkPause(of start: RunStart, _ event: Event) {
        guard pauses[PauseSubject(.pipeline, start.pipeline)] != nil, start.resumption?.isOver != true else { return }
        if case .rested(let rest) = event, rest.run == start.run { return }
        violate("\(start.run) starts, and its pipeline is paused")
    }

    /// No pause outlives its time.
    mutating func checkPauses(at now: Moment) {
        for pause in pauses.values where pause.until.map({ $0 < now.unixMilliseconds }) == true {
            violate("the pause of \(pause.subject) outlives its time")
        }
    }

    /// What a store keeps of pauses is what the worker knows.
    mutating func comparePauses(_ harness: CoreHarness) {
        let kept = Set(harness.kept.values.compactMap { if case .pause(let record) = $0 { record } else { nil } })
        if kept != Set(harness.core.pauses.records) { violate("pauses are kept otherwise than they are known") }
    }
}
