/// Whether a monitor may begin cycles now.
package struct MonitorStanding: Hashable, Sendable {
    /// Whether an excluded screen is showing.
    package let isExcluded: Bool
    /// Whether somebody waits for a cycle that is held back because of it.
    package let holdsBack: Bool

    package init(isExcluded: Bool, holdsBack: Bool) {
        self.isExcluded = isExcluded
        self.holdsBack = holdsBack
    }
}
