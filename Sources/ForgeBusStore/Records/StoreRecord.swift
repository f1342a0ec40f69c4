import ForgeBusProtocol

/// One record of a store.
///
/// The enumeration is indirect, so that a growing collection of records moves only pointers.
public indirect enum StoreRecord: Hashable, Sendable {
    /// A request that began no run, together with its answer: the same request gets the same answer again.
    case request(RequestRecord)
    /// A run, with the request that began it; after the end of the run, also with its result.
    case run(RunRecord)
    /// The progress of an unfinished run.
    case progress(ProgressRecord)
    /// A signal for which something waits, a signal whose wait has ended, or the early decisions on a signal.
    case signal(SignalRecord)
    /// The durable notifications that no successful cycle of a monitor has covered yet.
    case debt(DebtRecord)
    /// The screen that a MODE request set for a monitor.
    case mode(ModeRecord)
    /// A run that the worker has requested itself and that has not begun.
    case requested(RequestedRunRecord)
    /// A failing monitor.
    case trouble(TroubleRecord)
    /// A paused pipeline or monitor.
    case pause(PauseRecord)
    /// The texts of an ended run.
    case texts(RunTexts)

    /// The record's key.
    public var key: StoreKey {
        switch self {
        case .request(let record): .request(record.key)
        case .run(let record): .run(record.run)
        case .progress(let record): .progress(record.run)
        case .signal(let record): .signal(record.signal)
        case .debt(let record): .debt(record.monitor)
        case .mode(let record): .mode(record.monitor)
        case .requested(let record): .requested(record.run)
        case .trouble(let record): .trouble(record.monitor)
        case .pause(let record):
            switch record.subject.kind {
            case .pipeline: .pipelinePause(record.subject.name)
            case .monitor: .monitorPause(record.subject.name)
            }
        case .texts(let texts): .texts(texts.run)
        }
    }
}
