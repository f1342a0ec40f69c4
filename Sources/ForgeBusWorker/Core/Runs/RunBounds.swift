import ForgeBusProtocol

/// Counts how much of the worker's limits the runs use, and decides whether one more run may begin.
///
/// The limits apply only to new runs. An accepted run may always wait, resume and end. So the kept results may exceed
/// their limit by the results of runs that were accepted before. No result is forgotten early.
struct RunBounds {
    private let limits: WorkerLimits
    /// The number of active runs by principal: they execute, or have not had a slot yet.
    private(set) var active: [String: Int] = [:]
    /// The number of suspended runs by principal: they wait for a decision, an attempt, a redrive or a slot to resume
    /// with.
    private(set) var suspended: [String: Int] = [:]
    /// The approximate memory that the seeds of all unfinished runs take, in bytes.
    private(set) var seedsSize = 0
    /// The approximate memory that the outputs and reasons of all kept results take, in bytes.
    private(set) var resultsSize = 0

    init(_ limits: WorkerLimits) { self.limits = limits }

    /// The refusal of one more run for `principal`, with seeds of `size` bytes; nil if the run may begin.
    func objection(to principal: String, _ size: Int) -> BusError? {
        if active[principal, default: 0] >= limits.unfinishedRuns {
            return Errors.tooManyUnfinished(principal, most: limits.unfinishedRuns)
        }
        if suspended[principal, default: 0] >= limits.suspendedRuns {
            return Errors.tooManySuspended(principal, most: limits.suspendedRuns)
        }
        if seedsSize + size > limits.seedsSizeInBytes { return Errors.seedsTakeTooMuch(most: limits.seedsSizeInBytes) }
        if resultsSize >= limits.resultsSizeInBytes {
            return Errors.resultsTakeTooMuch(most: limits.resultsSizeInBytes)
        }
        return nil
    }

    /// Counts an accepted run.
    mutating func began(_ run: RunMachine) {
        Self.count(run.principal, 1, in: &active)
        seedsSize += run.terms.seedsSize
    }

    /// Counts an active run as suspended from now on.
    mutating func suspended(_ run: RunMachine) {
        Self.count(run.principal, -1, in: &active)
        Self.count(run.principal, 1, in: &suspended)
    }

    /// Counts a suspended run as active from now on, because it has a slot again.
    mutating func resumed(_ run: RunMachine) {
        Self.count(run.principal, -1, in: &suspended)
        Self.count(run.principal, 1, in: &active)
    }

    /// Removes an ended run's seeds from the count, and adds its result.
    mutating func ended(_ run: RunMachine, keeping result: EndedRun) {
        if run.account.isActive {
            Self.count(run.principal, -1, in: &active)
        } else {
            Self.count(run.principal, -1, in: &suspended)
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
    /// About how many bytes the object takes in memory, including the Swift values that the worker makes from it.
    var footprint: Int { entries.reduce(0) { $0 + $1.key.utf8.count + 128 + $1.value.footprint } }
}

extension JSONValue {
    /// About how many bytes the value takes in memory, including the Swift value that the worker makes from it.
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
    /// The approximate memory that the result's outputs and reasons take, in bytes.
    var footprint: Int {
        actions.reduce(outputs.footprint + reason.utf8.count) { $0 + ($1.failure?.why.utf8.count ?? 0) }
    }
}
