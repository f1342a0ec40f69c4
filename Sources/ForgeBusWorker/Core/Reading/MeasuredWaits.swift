import ForgeBusProtocol
import ForgeBusStore

/// Adds to a history the duration of each wait for a gate or signal.
///
/// The journal has the beginning and the end of a wait, even if the worker restarted between them. The duration of an
/// action contains only the time in the worker that ended the action.
struct MeasuredWaits {
    /// A wait that has not ended yet.
    private struct Open {
        let since: Int64
        let action: String?
    }

    private var open: [Name: Open] = [:]
    /// The durations of waits that have ended, by the action that waited.
    private var waited: [String: Int64] = [:]

    private static let key = "waited_ms"

    /// Adds durations to `entries`, which are oldest first.
    ///
    /// The entry that ends a wait gets the duration, and so does the entry that ends the waiting action.
    static func measured(_ entries: [JournalEntry]) -> [JournalEntry] {
        var waits = MeasuredWaits()
        return entries.map { waits.measure($0) }
    }

    private mutating func measure(_ entry: JournalEntry) -> JournalEntry {
        var entry = entry
        let action = entry.details["action"]?.string
        if let signal = entry.signal {
            // After a restart a gate that still waits is opened again.
            if entry.event == "waiting", open[signal] == nil {
                open[signal] = Open(since: entry.unixMilliseconds, action: action)
            } else if entry.endsWait, let wait = open.removeValue(forKey: signal) {
                let duration = max(0, entry.unixMilliseconds - wait.since)
                entry.details[Self.key] = .integer(duration)
                if let action = wait.action { waited[action] = duration }
            }
        } else if let action, entry.event.hasPrefix("action_"), let duration = waited.removeValue(forKey: action) {
            entry.details[Self.key] = .integer(duration)
        }
        return entry
    }
}

extension JournalEntry {
    /// Whether the entry is the end of a wait for its signal.
    fileprivate var endsWait: Bool {
        switch event {
        case "decided": details["verdict"] == "delivered"
        case "expired", "closed": true
        default: false
        }
    }
}
