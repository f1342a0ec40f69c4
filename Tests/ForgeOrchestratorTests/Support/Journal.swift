import ForgeLocks
import ForgeOrchestrator

/// What happened, in order, written from any thread.
final class Journal<Entry: Sendable>: Sendable {
    private let written = Guarded<[Entry]>([])

    func write(_ entry: Entry) {
        written.withLock { $0.append(entry) }
    }

    var entries: [Entry] { written.withLock { $0 } }
    var count: Int { entries.count }
}
