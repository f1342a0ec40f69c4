import ForgeBusProtocol
import ForgeOrchestrator

/// Finds the actions that each action requires: those in its list `requires`, or all earlier gates if it has no list.
enum Requirements {
    /// The ids of the required actions of each action, in the order of `actions`.
    ///
    /// A requirement that cannot be met is recorded as a problem.
    static func resolve(_ actions: [ActionDefinition]) -> [Set<ActionID>] {
        // The engine executes the actions by priority, and actions of the same priority in the order of the file.
        let order = actions.indices.sorted { a, b in
            (actions[a].priority, a) < (actions[b].priority, b)
        }
        var result = [Set<ActionID>](repeating: [], count: actions.count)
        for (turn, index) in order.enumerated() {
            let earlier = order[..<turn].map { actions[$0] }
            if let listed = actions[index].requires {
                result[index] = Set(listed.compactMap { required($0, earlier, all: actions) })
            } else {
                result[index] = Set(earlier.filter(\.isGate).map(\.id))
            }
        }
        return result
    }

    private static func required(
        _ entry: Entry,
        _ earlier: [ActionDefinition],
        all: [ActionDefinition]
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
