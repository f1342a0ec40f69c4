/// When an action runs, relative to the others of the same evaluation.
///
/// Lower raw values run first. Actions of one priority run in the order they were registered.
public enum ActionPriority: Int, Comparable, Sendable, CaseIterable {
    /// Runs first: what blocks everything else, such as a forced update or a maintenance mode.
    case critical = 0
    /// Core set-up that has to be finished: onboarding, required permissions, a migration.
    case high = 1
    /// Important, but it can be skipped: what is new, optional permissions.
    case medium = 2
    /// Runs last: tips, announcements, what nobody misses.
    case low = 3

    /// Orders priorities by when they run.
    public static func < (lhs: ActionPriority, rhs: ActionPriority) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}
