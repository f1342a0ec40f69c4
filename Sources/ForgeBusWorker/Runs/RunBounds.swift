import ForgeBusProtocol

/// Counts how much of the worker's limits runs use, and decides whether one more run may begin.
///
/// The limits refuse only new runs: an accepted run waits, resumes and ends whatever the others use. So the kept
/// results may exceed their limit by those of runs that were accepted before, and no answer is forgotten early.
struct RunBounds {
    private let limits: WorkerLimits
    /// Runs that are unfinished and do not wait, by principal.
    private(set) var active: [String: Int] = [:]
    /// Runs that wait for something, also for a slot to resume with, by principal.
    private(set) var paused: [String: Int] = [:]
    /// About how many bytes the seeds of unfinished runs take.
    private(set) var seedsSize = 0
    /// About how many bytes kept results take beyond those of every result.
    private(set) var resultsSize = 0

    init(_ limits: WorkerLimits) { self.limits = limits }

    /// Why `principal` may not begin one more run, with seeds of `size`; nil if it may.
    func objection(to principal: String, _ size: Int) -> BusError? {
        if active[principal, default: 0] >= limits.unfinishedRuns {
            return .busy("unfinished", "\(principal) has \(limits.unfinishedRuns) unfinished runs, which is the limit.")
        }
        if paused[principal, default: 0] >= limits.pausedRuns {
            return .busy("paused", "\(principal) has \(limits.pausedRuns) waiting runs, which is the limit.")
        }
        if seedsSize + size > limits.seedsSizeInBytes {
            return .busy("seeds", "The seeds of unfinished runs take too many bytes.")
        }
        if resultsSize >= limits.resultsSizeInBytes {
            return .busy("results", "The kept results of runs take too many bytes.")
        }
        return nil
    }

    /// Counts an accepted run.
    mutating func began(_ run: RunMachine) {
        Self.count(run.principal, 1, in: &active)
        seedsSize += run.terms.seedsSize
    }

    /// Counts a run as paused: it gave its slot away.
    mutating func paused(_ run: RunMachine) {
        Self.count(run.principal, -1, in: &active)
        Self.count(run.principal, 1, in: &paused)
    }

    /// Counts a run as active: it has a slot again.
    mutating func resumed(_ run: RunMachine) {
        Self.count(run.principal, -1, in: &paused)
        Self.count(run.principal, 1, in: &active)
    }

    /// Removes an ended run's seeds from the count, and adds its result.
    mutating func ended(_ run: RunMachine, keeping result: EndedRun) {
        if run.account.isActive {
            Self.count(run.principal, -1, in: &active)
        } else {
            Self.count(run.principal, -1, in: &paused)
        }
        seedsSize -= run.terms.seedsSize
        resultsSize += result.size
    }

    /// Counts a result that an earlier worker kept.
    mutating func restored(_ result: EndedRun) { resultsSize += result.size }

    /// Removes a forgotten result from the count.
    mutating func forgot(_ result: EndedRun) { resultsSize -= result.size }

    private static func count(_ principal: String, _ change: Int, in counts: inout [String: Int]) {
        guard let place = counts.index(forKey: principal) else { return counts[principal] = change }
        counts.values[place] += change
        if counts.values[place] == 0 { counts.remove(at: place) }
    }
}

extension JSONObject {
    /// About how many bytes the value takes in memory, with the Swift values made from it.
    var footprint: Int { entries.reduce(0) { $0 + $1.key.utf8.count + 128 + $1.value.footprint } }
}

extension JSONValue {
    /// About how many bytes the value takes in memory, with the Swift values made from it.
    fileprivate var footprint: Int {
        switch self {
        case .null, .bool, .integer, .number: 64
        case .string(let text): 64 + text.utf8.count
        case .array(let values): values.reduce(64) { $0 + $1.footprint }
        case .object(let object): 64 + object.footprint
        }
    }
}

extension RunResult {
    /// About how many bytes the result's outputs and reasons take in memory, beyond those of every result.
    var footprint: Int {
        actions.reduce(outputs.footprint + reason.utf8.count) { $0 + ($1.failure?.why.utf8.count ?? 0) }
    }
}
