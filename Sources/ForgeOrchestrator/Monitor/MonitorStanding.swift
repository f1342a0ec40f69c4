/// Whether a monitor may begin cycles now.
package struct MonitorStanding: Hashable, Sendable {
    /// Whether an excluded screen is showing, or the host has paused the monitor.
    package let isExcluded: Bool
    /// Whether a requested cycle cannot start because ``isExcluded`` is true.
    package let holdsBack: Bool

    package init(isExcluded: Bool, holdsBack: Bool) {
        self.isExcluded = isExcluded
        self.holdsBack = holdsBack
    }
}
