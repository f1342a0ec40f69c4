import ForgeBusProtocol
import ForgeBusStore

/// The records that an earlier worker stored, grouped by kind; the runs are in the order of their acceptance.
struct LeftRecords {
    var requests: [RequestRecord] = []
    var runs: [RunRecord] = []
    var progress: [Name: ProgressRecord] = [:]
    var signals: [SignalRecord] = []
    var debts: [Name: DebtRecord] = [:]
    var modes: [Name: ModeRecord] = [:]
    var requested: [RequestedRunRecord] = []
    var troubles: [Name: TroubleRecord] = [:]
    var pauses: [PauseRecord] = []

    /// Whether the earlier worker had parked the run.
    func wasParked(_ run: Name) -> Bool { if case .parked = progress[run]?.state { true } else { false } }

    init(_ records: [StoreRecord]) {
        for record in records {
            switch record {
            case .request(let record): requests.append(record)
            case .run(let record): runs.append(record)
            case .progress(let record): progress[record.run] = record
            case .signal(let record): signals.append(record)
            case .debt(let record): debts[record.monitor] = record
            case .mode(let record): modes[record.monitor] = record
            case .requested(let record): requested.append(record)
            case .trouble(let record): troubles[record.monitor] = record
            case .pause(let record): pauses.append(record)
            // The store tells these only when somebody asks.
            case .texts: break
            }
        }
        // A worker numbers its run ids: of two runs accepted at the same moment, the run with the shorter id came
        // earlier.
        runs.sort { ($0.accepted, $0.run.text.utf8.count, $0.run) < ($1.accepted, $1.run.text.utf8.count, $1.run) }
    }
}
