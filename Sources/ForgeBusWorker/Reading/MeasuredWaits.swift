import ForgeBusProtocol
import ForgeBusStore

/// Adds to a history how long its gates and signals waited.
///
/// The journal has the beginning and the end of a wait, also if a restart lies between them; an action measures only its
/// time in the worker that ended it.
struct MeasuredWaits {
    /// A wait that has not ended yet.
    private struct Open {
        let since: Int64
        let action: String?
    }

    private var open: [Name: Open] = [:]
    /// How long the actions waited whose waits have ended.
    private var waited: [String: Int64] = [:]

    private static let key = "waited_ms"

    /// The entries, oldest first: the end of a wait gets its duration, and so does the end of the action that waited.
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
