/// Whether a monitor may begin cycles now.
package struct MonitorStanding: Hashable, Sendable {
    /// Whether an excluded screen is showing.
    package let isExcluded: Bool
    /// Whether a requested cycle cannot start because an excluded screen is showing.
    package let holdsBack: Bool

    package init(isExcluded: Bool, holdsBack: Bool) {
        self.isExcluded = isExcluded
        self.holdsBack = holdsBack
    }
}
