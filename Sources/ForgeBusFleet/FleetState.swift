/// What is known of a worker of a fleet, or of one of its monitors or runs.
///
/// The raw values are the words of the command line, of JSON and of the gateway.
public enum FleetState: String, CaseIterable, Hashable, Sendable {
    /// The latest cycle began after the change, and ended well.
    case converged
    /// The latest cycle ended well; no change was named that it should cover.
    case ok
    /// The run completed.
    case completed
    /// The worker answers.
    case here
    /// The latest cycle, or the run, failed.
    case failed
    /// The latest cycle did not end within its time limit.
    case overdue
    /// The worker took the notification or the run, which had not ended when the asker's time was over.
    case pending
    /// No cycle that began after the change has ended, or none at all since the worker's start.
    case notYet = "not yet"
    /// Somebody has paused the monitor.
    case waived
    /// A screen that excludes the monitor is showing.
    case excluded
    /// The inventory expects the monitor, and the worker does not have it.
    case missing
    /// The worker is too old to tell when a cycle began.
    case tooOld = "too old to tell"
    /// The worker did not answer in time.
    case silent
    /// The worker may have taken the run; its outcome is not known.
    case unknown
    /// Nobody has asked the worker, because a roll-out stopped before its batch, or an asker before its turn.
    case notAsked = "not asked"
    /// The worker does not know the asker's key, or does not allow the request.
    case refused
    /// The worker's endpoint does not have the key that the inventory names, or speaks another protocol.
    case wrongKey = "wrong key"
    /// Another worker answers under the endpoint and the key.
    case wrongWorker = "wrong worker"
    /// The worker has no monitor that the question is about.
    case noMonitor = "no monitor"

    /// What a state means for the outcome of the whole, from good to bad.
    public enum Class: Int, Comparable, Sendable {
        /// As it should be.
        case good
        /// Nothing to tell about this worker.
        case nothing
        /// The asker was refused, or asked somebody else.
        case refused
        /// Not known to be good.
        case open
        /// Known to be bad.
        case bad

        /// Whether `a` is better than `b`.
        public static func < (a: Class, b: Class) -> Bool { a.rawValue < b.rawValue }
    }

    /// What the state means for the outcome of the whole.
    public var kind: Class {
        switch self {
        case .converged, .ok, .completed, .here: .good
        case .noMonitor: .nothing
        case .refused, .wrongKey, .wrongWorker: .refused
        case .pending, .notYet, .waived, .excluded, .missing, .tooOld, .silent, .unknown, .notAsked: .open
        case .failed, .overdue: .bad
        }
    }
}

extension FleetState: Comparable {
    /// Whether `a` is worse than `b`, so that the worst come first.
    public static func < (a: FleetState, b: FleetState) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .failed: 0
        case .overdue: 1
        case .unknown: 2
        case .silent: 3
        case .pending: 4
        case .notYet: 5
        case .tooOld: 6
        case .missing: 7
        case .waived: 8
        case .excluded: 9
        case .notAsked: 10
        case .wrongKey: 11
        case .wrongWorker: 12
        case .refused: 13
        case .noMonitor: 14
        case .converged: 15
        case .ok: 16
        case .completed: 17
        case .here: 18
        }
    }
}
