import ForgeBusProtocol
import ForgeBusStore

/// Which unfinished run holds each exclusive key, and which runs wait for a key.
///
/// Of the runs with one key, only one has begun: it holds the key until it ends. A run whose turn for a slot comes while
/// another run holds its key leaves the line of its pipeline. When the key is free, the first of these runs of each
/// pipeline gets a place in that line again, and the first of them to get a slot takes the key.
struct KeyHolders {
    private struct Runs {
        var holder: Name?
        /// All unfinished runs with the key.
        var members: Set<Name> = []
        /// The runs that wait for the key, by pipeline.
        var waiting: [Name: Waiting] = [:]
    }

    /// The runs of one pipeline that wait for a key.
    private struct Waiting {
        /// The run that is in the pipeline's line again.
        var candidate: Name?
        /// The other runs.
        var line = WaitingLine()
    }

    /// A run that gets a place in the line of its pipeline again.
    typealias Candidate = (run: Name, pipeline: Name)

    private var keys: [Name: ExclusiveKey] = [:]
    private var runs: [ExclusiveKey: Runs] = [:]

    /// Adds an unfinished run; one that has begun in an earlier worker holds its key.
    mutating func add(_ run: Name, _ key: ExclusiveKey, hasBegun: Bool) {
        keys[run] = key
        runs[key, default: Runs()].members.insert(run)
        if hasBegun, runs[key]?.holder == nil { runs[key]?.holder = run }
    }

    /// The unfinished runs with a key, in no order.
    func members(of key: ExclusiveKey) -> Set<Name> { runs[key]?.members ?? [] }

    /// The run that holds a key; nil if no run holds it.
    func holder(of key: ExclusiveKey) -> Name? { runs[key]?.holder }

    /// The run that holds the key of `run`; nil if no other run holds it, or `run` has no key.
    func obstacle(of run: Name) -> Name? {
        guard let key = keys[run], let holder = runs[key]?.holder, holder != run else { return nil }
        return holder
    }

    /// Gives a run its key, now that it gets a slot.
    ///
    /// - Returns: Whether the run may have the slot; otherwise it waits for the key, outside the line of its pipeline.
    mutating func take(_ run: Name, of pipeline: Name) -> Bool {
        guard let key = keys[run] else { return true }
        let isCandidate = runs[key]?.waiting[pipeline]?.candidate == run
        if isCandidate { runs[key]?.waiting[pipeline]?.candidate = nil }
        guard obstacle(of: run) != nil else {
            runs[key]?.holder = run
            return true
        }
        // A candidate that another pipeline's run has forestalled was the first in the line, and is it again.
        if isCandidate {
            runs[key]?.waiting[pipeline]?.line.prepend(run)
        } else {
            runs[key]?.waiting[pipeline, default: Waiting()].line.append(run)
        }
        return false
    }

    /// Removes a run from those that wait for a key outside the line of their pipeline.
    ///
    /// - Returns: Whether the run was one of them.
    mutating func strikeOff(_ run: Name, of pipeline: Name) -> Bool {
        guard let key = keys[run] else { return false }
        return runs[key]?.waiting[pipeline]?.line.strikeOff(run) ?? false
    }

    /// Notes that a run is no longer in the line of its pipeline.
    ///
    /// - Returns: If its key is free, the runs that get a place in the lines of their pipelines again.
    mutating func leftLine(_ run: Name, of pipeline: Name) -> [Candidate] {
        guard let key = keys[run], runs[key]?.waiting[pipeline]?.candidate == run else { return [] }
        runs[key]?.waiting[pipeline]?.candidate = nil
        return candidates(for: key)
    }

    /// Removes all runs from those that wait for a key.
    mutating func withdrawAll() {
        for key in runs.keys { runs[key]?.waiting = [:] }
    }

    /// Removes a run that has ended.
    ///
    /// - Returns: If its key is free, the runs that get a place in the lines of their pipelines again.
    mutating func end(_ run: Name, of pipeline: Name) -> [Candidate] {
        if keys.isEmpty { return [] }
        guard let key = keys.removeValue(forKey: run) else { return [] }
        runs[key]?.members.remove(run)
        if runs[key]?.holder == run { runs[key]?.holder = nil }
        guard runs[key]?.members.isEmpty == false else {
            runs[key] = nil
            return []
        }
        return candidates(for: key)
    }

    /// Chooses the run of each pipeline that gets a place in its line again, if the key is free.
    private mutating func candidates(for key: ExclusiveKey) -> [Candidate] {
        guard let holders = runs[key], holders.holder == nil else { return [] }
        var candidates: [Candidate] = []
        for (pipeline, waiting) in holders.waiting where waiting.candidate == nil {
            guard let next = runs[key]?.waiting[pipeline]?.line.popFirst() else { continue }
            runs[key]?.waiting[pipeline]?.candidate = next
            candidates.append((next, pipeline))
        }
        return candidates
    }
}
