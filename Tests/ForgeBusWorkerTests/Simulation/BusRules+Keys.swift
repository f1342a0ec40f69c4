import ForgeBusProtocol
import ForgeBusStore

@testable import ForgeBusWorker

/// Of the runs with one key, one at a time has begun; a newer one supersedes what does not execute; a free key blocks nobody.
extension BusRules {
    /// What is known of the keys of runs, whatever the core says of them.
    struct Keys {
        /// Which pipelines have keys, and what becomes of a new run.
        let form: BusSetting.KeyForm
        /// The keys of all runs that were ever kept.
        var keys: [Name: String] = [:]
        /// In which order runs were first kept.
        var arrivals: [Name: Int] = [:]
        /// The run of each key that has begun and not ended.
        var holders: [String: Name] = [:]
        /// The runs that were superseded.
        var superseded: Set<Name> = []
    }

    /// The store is told of a run.
    mutating func keyed(_ record: RunRecord) {
        let run = record.run
        if keys.arrivals[run] == nil {
            keys.arrivals[run] = keys.arrivals.count
            keys.keys[run] = keys.form.key(of: record.pipeline, record.seeds)
        }
        guard record.end != nil, let key = keys.keys[run], keys.holders[key] == run else { return }
        keys.holders[key] = nil
    }

    /// A run executes: no other run with its key has begun.
    mutating func checkKey(of start: RunStart) {
        guard start.resumption?.isOver != true, let key = keys.keys[start.run] else { return }
        if keys.superseded.contains(start.run) { violate("\(start.run) was superseded, and goes on") }
        if let holder = keys.holders[key], holder != start.run {
            violate("\(start.run) executes, and \(holder) has its key \(key)")
        }
        keys.holders[key] = start.run
    }

    /// Whether another run has the key of a run that waits for a slot.
    func isKeyHeld(for run: RunMachine) -> Bool {
        keys.keys[run.id].flatMap { keys.holders[$0] }.map { $0 != run.id } ?? false
    }

    /// A new run that supersedes others never waits beside an older one that does not execute.
    mutating func checkSuperseded(_ core: WorkerState) {
        guard keys.form.isSuperseding else { return }
        let runs = core.runs.unfinished.filter { !$0.isStopping }
        for new in runs where keys.form.newcomer(of: new.pipeline) == .supersede {
            for old in runs where old.id != new.id && !old.holdsSlot && keys.keys[old.id] == keys.keys[new.id] {
                if isOlder(old.id, than: new.id) { violate("\(new.id) does not supersede \(old.id)") }
            }
        }
    }

    /// The audit was told that runs were superseded: each once, by a newer run with its key that is to be.
    mutating func noteSuperseded(_ told: ArraySlice<AuditRecord>, _ harness: CoreHarness) {
        for record in told {
            guard case .superseded(let old, let new) = record.event else { continue }
            let pipeline = harness.record(of: new)?.pipeline
            if !keys.superseded.insert(old).inserted { violate("\(old) was superseded twice") }
            let key = keys.keys[old]
            if key == nil || key != keys.keys[new] { violate("\(new) supersedes another's \(old)") }
            if !isOlder(old, than: new) { violate("\(new) supersedes the newer \(old)") }
            let newcomer = pipeline.flatMap { keys.form.newcomer(of: $0) }
            if newcomer != .supersede { violate("\(new) may not supersede \(old)") }
            saw(started.contains(old) ? "superseded at rest" : "superseded before it began")
        }
    }

    private func isOlder(_ old: Name, than new: Name) -> Bool {
        (keys.arrivals[old] ?? .max) < (keys.arrivals[new] ?? .min)
    }

    /// A request for a run was answered: one that may not wait for its key is refused, and no other.
    mutating func checkRefusal(of request: RunRequest, _ error: BusError?, _ run: Name?, _ core: WorkerState) {
        let isRefusing = keys.form.newcomer(of: request.pipeline) == .refuse
        let key = keys.form.key(of: request.pipeline, request.seeds)
        let isHeld = core.runs.unfinished.contains { $0.id != run && key != nil && keys.keys[$0.id] == key }
        if error?.code == .keyHeld, !isRefusing || !isHeld { violate("a run is refused, and its key is free") }
        if error == nil, run != nil, isRefusing, isHeld { violate("a run is accepted, and its key is held") }
    }

    /// Another worker takes over: of what it finds, a run that had begun has its key.
    mutating func takeOverKeys(_ records: [StoreRecord]) {
        keys.holders = [:]
        keys.superseded = []
        let ending = records.compactMap { record -> Name? in
            guard case .progress(let progress) = record, case .stopping = progress.state else { return nil }
            return progress.run
        }
        for case .run(let record) in records where record.end == nil {
            keyed(record)
            guard record.began != nil, let key = keys.keys[record.run], !ending.contains(record.run) else { continue }
            if let other = keys.holders.updateValue(record.run, forKey: key) {
                violate("\(record.run) and \(other) had begun, and both have the key \(key)")
            }
        }
    }
}

extension AuditRecord {
    /// Whether the record says that this run was superseded.
    func supersedes(_ run: Name) -> Bool { if case .superseded(run, _) = event { true } else { false } }
}
