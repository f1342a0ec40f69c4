import DequeModule
import ForgeBusProtocol

/// A queue of runs in the order in which they came; any run may leave before its turn.
///
/// When a run leaves early, its place stays empty until its turn comes. If more than half of the places are then empty,
/// the line removes all empty places together. So the average cost of a change does not depend on the length of the
/// line.
struct WaitingLine {
    private var places: Deque<Name> = []
    private var members: Set<Name> = []

    /// The number of waiting runs.
    var count: Int { members.count }

    /// The number of places that are kept, including empty ones.
    var length: Int { places.count }

    /// Adds a run at the back; a run that left before its turn gets its old place, if the line still has that place.
    mutating func append(_ run: Name) {
        places.append(run)
        members.insert(run)
    }

    /// Adds a run at the front.
    mutating func prepend(_ run: Name) {
        places.prepend(run)
        members.insert(run)
    }

    /// Removes and returns the first run.
    mutating func popFirst() -> Name? {
        while let run = places.popFirst() {
            if members.remove(run) != nil { return run }
        }
        return nil
    }

    /// Removes a run before its turn.
    ///
    /// - Returns: Whether the run was in the line.
    mutating func strikeOff(_ run: Name) -> Bool {
        guard !members.isEmpty, members.remove(run) != nil else { return false }
        if places.count > 2 * members.count { places.removeAll { !members.contains($0) } }
        return true
    }
}
