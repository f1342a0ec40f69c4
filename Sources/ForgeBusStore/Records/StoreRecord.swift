import ForgeBusProtocol

/// One thing that a store keeps.
///
/// Indirect, so that books of many records move pointers when they grow.
public indirect enum StoreRecord: Hashable, Sendable {
    /// A request that began no run, and its answer, so that the same request gets the same answer again.
    case request(RequestRecord)
    /// A run with the request that began it and, once it ended, its result.
    case run(RunRecord)
    /// How far an unfinished run has come.
    case progress(ProgressRecord)
    /// A signal that waits or is decided, or decisions that came before it.
    case signal(SignalRecord)
    /// The notifications for which a monitor is owed a cycle.
    case debt(DebtRecord)
    /// The screen that a monitor shows.
    case mode(ModeRecord)

    /// The record's key.
    public var key: StoreKey {
        switch self {
        case .request(let record): .request(record.key)
        case .run(let record): .run(record.run)
        case .progress(let record): .progress(record.run)
        case .signal(let record): .signal(record.signal)
        case .debt(let record): .debt(record.monitor)
        case .mode(let record): .mode(record.monitor)
        }
    }
}
