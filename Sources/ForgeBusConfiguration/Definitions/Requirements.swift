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
        let cause: String
        let next: String
        if all.contains(where: { $0.id == id }) {
            cause = "does not run before the action that requires it"
            next =
                "Let the required action run earlier, or name another one: actions run by priority, then in the order "
                + "of the file."
        } else {
            guard isWhole else { return nil }
            let guess = Spelling.guess(text, among: all.map(\.id.rawValue)).map { "; did you mean `\($0)`?" } ?? ""
            cause = "is not an action of this pipeline\(guess)"
            next = "Write the id of an action of this pipeline that runs earlier."
        }
        entry.note(
            .badRequirement,
            "The required action \(Printable.quoted(text)) \(cause.hasSuffix("?") ? cause : cause + ".")",
            next: next
        )
        return nil
    }
}
