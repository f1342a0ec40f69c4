import ForgeBusProtocol
import ForgeOrchestrator

/// Finds the actions that each action requires: those in its list `requires`, or all earlier gates if it has no list.
enum Requirements {
    /// Finds the required actions of each action; records a requirement that cannot be met as a problem.
    ///
    /// - Parameters:
    ///   - actions: The valid actions of a pipeline.
    ///   - isWhole: Whether these are all actions of the pipeline. An id that none of them has may otherwise be that of
    ///     an action whose own errors are recorded, and is not a problem.
    /// - Returns: The ids of the required actions of each action, in the order of `actions`.
    static func resolve(_ actions: [ActionDefinition], isWhole: Bool) -> [Set<ActionID>] {
        // The engine executes the actions by priority, and actions of the same priority in the order of the file.
        let order = actions.indices.sorted { a, b in
            (actions[a].priority, a) < (actions[b].priority, b)
        }
        var result = [Set<ActionID>](repeating: [], count: actions.count)
        for (turn, index) in order.enumerated() {
            let earlier = order[..<turn].map { actions[$0] }
            if let listed = actions[index].requires {
                result[index] = Set(listed.compactMap { required($0, earlier, all: actions, isWhole) })
            } else {
                result[index] = Set(earlier.filter(\.isGate).map(\.id))
            }
        }
        return result
    }

    private static func required(
        _ entry: Entry,
        _ earlier: [ActionDefinition],
        all: [ActionDefinition],
        _ isWhole: Bool
    ) -> ActionID? {
        guard let text = entry.text("the id of an action") else { return nil }
        let id = ActionID(text)
        if earlier.contains(where: { $0.id == id }) { return id }
        if all.contains(where: { $0.id == id }) {
            entry.note(Errors.requiredLater(text))
        } else if isWhole {
            let guess = Spelling.guess(text, among: all.map(\.id.rawValue))
            entry.note(Errors.requiredUnknown(text, guess: guess))
        }
        return nil
    }
}
