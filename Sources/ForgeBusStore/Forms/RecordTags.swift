/// The bytes that stand for the cases of enumerations in a stored record.
enum RecordTags {
    /// The state of an unfinished run.
    enum Progress: UInt8 { case executing = 0, waiting = 1, awaiting = 2, retrying = 3, parked = 4, stopping = 5 }

    /// The kind of a request's answer.
    enum Outcome: UInt8 { case run = 0, verdict = 1, confirmation = 2 }

    enum Verdict: UInt8 {
        case delivered = 0, counted = 1, buffered = 2, duplicate = 3, conflict = 4
        case expired = 5, closed = 6, forbidden = 7, unknown = 8
    }

    enum Durability: UInt8 { case memory = 0, fsynced = 1, replicated = 2 }

    /// How an action ended.
    enum Action: UInt8 { case completed = 0, skipped = 1, failed = 2 }

    /// The cause of a run that the worker itself requests.
    enum Cause: UInt8 { case action = 0, monitor = 1, event = 2 }

    /// The scope of an exclusive key.
    enum Scope: UInt8 { case pipeline = 0, group = 1 }

    /// The state of a signal.
    enum Signal: UInt8 { case waiting = 0, settled = 1, early = 2 }

    enum Owner: UInt8 { case action = 0, process = 1 }

    /// How a wait ended.
    enum Ending: UInt8 { case decided = 0, expired = 1, closed = 2 }

    enum Decision: UInt8 { case approved = 0, rejected = 1 }
}
