/// When an action runs, relative to the other actions of the same evaluation.
///
/// Lower raw values run first. Actions with the same priority run in the order in which they were registered.
public enum ActionPriority: Int, Comparable, Sendable, CaseIterable {
    /// Runs first: for checks that block everything else, such as a forced update or a maintenance mode.
    case critical = 0
    /// Runs second: for required set-up, such as onboarding, required permissions or a migration.
    case high = 1
    /// Runs third: for important but optional work, such as a "What's new" screen or optional permissions.
    case medium = 2
    /// Runs last: for work that can be left out, such as tips and announcements.
    case low = 3

    /// Whether actions with the priority `lhs` run before those with `rhs`.
    public static func < (lhs: ActionPriority, rhs: ActionPriority) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}
