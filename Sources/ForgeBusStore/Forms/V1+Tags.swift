/// The bytes that stand for the cases of enumerations in form 1; later forms use the same bytes.
///
/// A byte never gets another meaning, because stores of past releases contain it.
extension V1 {
    /// The state of an unfinished run.
    enum ProgressTag: UInt8 {
        case executing = 0
        case waiting = 1
        case retrying = 2
        case parked = 3
        case stopping = 4
        /// Only form 4 and later forms have this case.
        case awaiting = 5
        /// After this byte come two counts of attempts, and then one of the tags above. The first releases wrote
        /// neither this byte nor the counts.
        case countsFollow = 16
    }

    /// The kind of a request's answer.
    enum OutcomeTag: UInt8 { case run = 0, verdict = 1, confirmation = 2 }

    enum VerdictTag: UInt8 {
        case delivered = 0, counted = 1, buffered = 2, duplicate = 3, conflict = 4
        case expired = 5, closed = 6, forbidden = 7, unknown = 8
    }

    /// `replicated` was added to form 4 when workers could have their stores in databases; only such workers wrote it.
    enum DurabilityTag: UInt8 { case memory = 0, fsynced = 1, replicated = 2 }

    /// How an action ended.
    enum ActionTag: UInt8 { case completed = 0, skipped = 1, failed = 2 }

    /// The state of a signal.
    enum SignalTag: UInt8 { case waiting = 0, settled = 1, early = 2 }

    enum OwnerTag: UInt8 { case action = 0, process = 1 }

    /// How a wait ended.
    enum EndingTag: UInt8 { case decided = 0, expired = 1, closed = 2 }

    enum DecisionTag: UInt8 { case approved = 0, rejected = 1 }
}
