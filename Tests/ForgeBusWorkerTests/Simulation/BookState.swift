/// How a book can stand when an event comes, as columns of the coverage table.
///
/// Where the event is about one monitor, request, pipeline or signal, that one's state counts, otherwise that of each
/// there is.
enum BookState: Int, CaseIterable {
    case phaseStarting, phaseReady, phaseDraining
    case laneIdle, laneOwed, laneRunning, laneRunningAndOwed, laneOverdue, laneOverdueAndOwed, laneExcluded,
        laneHeldBack
    case ledgerUnknown, ledgerUnfinished, ledgerFinished, ledgerConflict, ledgerFull
    case queueEmpty, queueFree, queueTaken, queueCrowded
    case gateNone, gateWaiting, gateEarly, gateDecided, gateExpired, gateClosed

    /// The book and the state, as the head of a column.
    var name: String {
        switch self {
        case .phaseStarting: "starting"
        case .phaseReady: "ready"
        case .phaseDraining: "draining"
        case .laneIdle: "lane idle"
        case .laneOwed: "lane owed"
        case .laneRunning: "lane running"
        case .laneRunningAndOwed: "lane running, owed"
        case .laneOverdue: "lane overdue"
        case .laneOverdueAndOwed: "lane overdue, owed"
        case .laneExcluded: "lane excluded"
        case .laneHeldBack: "lane held back"
        case .ledgerUnknown: "ledger unknown"
        case .ledgerUnfinished: "ledger unfinished"
        case .ledgerFinished: "ledger finished"
        case .ledgerConflict: "ledger conflict"
        case .ledgerFull: "ledger full"
        case .queueEmpty: "queue empty"
        case .queueFree: "queue with free slots"
        case .queueTaken: "queue, slots taken"
        case .queueCrowded: "queue crowded"
        case .gateNone: "gate none"
        case .gateWaiting: "gate waiting"
        case .gateEarly: "gate early"
        case .gateDecided: "gate decided"
        case .gateExpired: "gate expired"
        case .gateClosed: "gate closed"
        }
    }
}

/// Some of them.
struct BookStates {
    private(set) var bits: UInt32 = 0

    mutating func insert(_ state: BookState) { bits |= 1 << UInt32(state.rawValue) }
}
