import ForgeBusProtocol

/// What runs take of the worker's bounds, and whether one more may be taken.
///
/// Only new runs are refused: one that was taken waits, goes on and ends whatever the others take. So results may come to
/// take more than their bound, by what the runs give that were taken before, and an answer is never forgotten early.
struct RunBounds {
    private let limits: WorkerLimits
    /// Runs that are unfinished and do not wait, by principal.
    private(set) var active: [String: Int] = [:]
    /// Runs that wait for something, be it a slot to go on with, by principal.
    private(set) var paused: [String: Int] = [:]
    /// About how many bytes the seeds of unfinished runs take.
    private(set) var seedsSize = 0
    /// About how many bytes kept results take beyond what each takes.
    private(set) var resultsSize = 0

    init(_ limits: WorkerLimits) { self.limits = limits }

    /// Why `principal` may not begin one more run, with seeds of `size`; nil if it may.
    func objection(to principal: String, _ size: Int) -> BusError? {
        if active[principal, default: 0] >= limits.unfinishedRuns {
            return .busy("unfinished", "\(principal) has \(limits.unfinishedRuns) unfinished runs.")
        }
        if paused[principal, default: 0] >= limits.pausedRuns {
            return .busy("paused", "\(principal) has \(limits.pausedRuns) runs that wait.")
        }
        if seedsSize + size > limits.seedsSizeInBytes {
            return .busy("seeds", "The seeds of unfinished runs take too many bytes.")
        }
        if resultsSize >= limits.resultsSizeInBytes {
            return .busy("results", "The results that are kept take too many bytes.")
        }
        return nil
    }

    /// A run was taken.
    mutating func began(_ run: RunMachine) {
        Self.count(run.principal, 1, in: &active)
        seedsSize += run.terms.seedsSize
    }

    /// A run waits: it gave its slot away.
    mutating func paused(_ run: RunMachine) {
        Self.count(run.principal, -1, in: &active)
        Self.count(run.principal, 1, in: &paused)
    }

    /// A run goes on: it has a slot again.
    mutating func resumed(_ run: RunMachine) {
        Self.count(run.principal, -1, in: &paused)
        Self.count(run.principal, 1, in: &active)
    }

    /// A run ended: its seeds are let go, and its result is kept.
    mutating func ended(_ run: RunMachine, keeping result: EndedRun) {
        if run.account.isActive {
            Self.count(run.principal, -1, in: &active)
        } else {
            Self.count(run.principal, -1, in: &paused)
        }
        seedsSize -= run.terms.seedsSize
        resultsSize += result.size
    }

    /// An earlier worker kept this result.
    mutating func restored(_ result: EndedRun) { resultsSize += result.size }

    /// A result is kept no longer.
    mutating func forgot(_ result: EndedRun) { resultsSize -= result.size }

    private static func count(_ principal: String, _ change: Int, in counts: inout [String: Int]) {
        guard let place = counts.index(forKey: principal) else { return counts[principal] = change }
        counts.values[place] += change
        if counts.values[place] == 0 { counts.remove(at: place) }
    }
}

extension JSONObject {
    /// About how many bytes it takes in memory, with the Swift values that are made of it; none if it is empty.
    var footprint: Int { entries.reduce(0) { $0 + $1.key.utf8.count + 128 + $1.value.footprint } }
}

extension JSONValue {
    /// About how many bytes it takes in memory, with the Swift value that is made of it.
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
    /// About how many bytes it takes in memory beyond what each result takes: its outputs, and what it gives as reasons.
    var footprint: Int {
        actions.reduce(outputs.footprint + reason.utf8.count) { $0 + ($1.failure?.why.utf8.count ?? 0) }
    }
}
