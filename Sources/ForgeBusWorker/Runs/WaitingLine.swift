import DequeModule
import ForgeBusProtocol

/// Runs in the order in which they came; any of them may leave before its turn.
///
/// When a run leaves early, its place stays empty until its turn comes, or until more than half of the places are empty
/// and the line removes them together. So each change costs the same for any length, and the line never takes more than
/// twice the room of its runs.
struct WaitingLine {
    private var places: Deque<Name> = []
    private var members: Set<Name> = []

    /// The number of waiting runs.
    var count: Int { members.count }

    /// The number of places that are kept, including empty ones.
    var length: Int { places.count }

    /// A run joins the back; one that left before its turn does not come again.
    mutating func append(_ run: Name) {
        places.append(run)
        members.insert(run)
    }

    /// Removes and returns the first run.
    mutating func popFirst() -> Name? {
        while let run = places.popFirst() {
            if members.remove(run) != nil { return run }
        }
        return nil
    }

    /// A run leaves before its turn.
    ///
    /// - Returns: Whether the run waited.
    mutating func strikeOff(_ run: Name) -> Bool {
        guard !members.isEmpty, members.remove(run) != nil else { return false }
        if places.count > 2 * members.count { places.removeAll { !members.contains($0) } }
        return true
    }
}
