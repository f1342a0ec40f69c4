public import ForgeBusProtocol

/// One thing that is kept.
///
/// Indirect, so that books of many records move pointers when they grow.
public indirect enum StoreRecord: Hashable, Sendable {
    /// A request that began no run, and what it was answered, so that the same request again is the same request.
    case request(RequestRecord)
    /// A run with the request that began it and, once it ended, its result.
    case run(RunRecord)
    /// How far an unfinished run has come.
    case progress(ProgressRecord)
    /// A signal, whether it waits or is decided, or decisions that came early.
    case signal(SignalRecord)
    /// What notifications owe a monitor.
    case debt(DebtRecord)
    /// The screen that somebody said is showing to a monitor.
    case mode(ModeRecord)

    /// Under which key it is kept.
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

/// The key of one thing that is kept.
public enum StoreKey: Hashable, Sendable {
    /// A request, by who sent it and its id.
    case request(RequestKey)
    /// A run, by its id.
    case run(RunID)
    /// The progress of a run, by the run's id.
    case progress(RunID)
    /// A signal, by its id.
    case signal(SignalID)
    /// What is owed a monitor, by its name.
    case debt(Name)
    /// The screen of a monitor, by its name.
    case mode(Name)
}

/// The content of a request, or of something else, as 256 bits.
public struct Fingerprint: Hashable, Sendable {
    /// The bits, first word first.
    public var words: (UInt64, UInt64, UInt64, UInt64)

    /// Four words, first word first.
    public init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) { words = (a, b, c, d) }

    /// Whether all bits are the same.
    public static func == (a: Fingerprint, b: Fingerprint) -> Bool { a.words == b.words }

    /// Hashes the first word: the bits of a digest are spread already.
    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
