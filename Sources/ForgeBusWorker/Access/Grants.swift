public import ForgeBusProtocol

extension AccessPolicy {
    /// What can be allowed.
    public typealias Right = ForgeBusProtocol.Right

    /// The targets of a right: what one pattern allows and no pattern denies.
    public struct Grant: Hashable, Sendable {
        /// What is allowed.
        public var allow: [NamePattern]
        /// What is denied, even if a pattern allows it.
        public var deny: [NamePattern]

        /// A right on what `allow` matches, except what `deny` matches; on nothing by default.
        public init(allow: [NamePattern] = [], deny: [NamePattern] = []) {
            self.allow = allow
            self.deny = deny
        }

        /// Whether all of `target` is allowed and nothing of it is denied.
        func covers(_ target: Target) -> Bool {
            allow.contains { $0.covers(target.text) } && !deny.contains { $0.overlaps(target.text) }
        }
    }

    /// The rights of a principal.
    public struct Grants: Hashable, Sendable {
        private var grants: [Right: Grant]

        /// Grants by right; a missing right is not granted.
        public init(_ grants: [Right: Grant] = [:]) { self.grants = grants }

        /// The grant of a right; empty if there is none.
        public subscript(right: Right) -> Grant {
            get { grants[right] ?? Grant() }
            set { grants[right] = newValue }
        }

        /// Adds what `other` allows and what it denies; a denial of either holds.
        public mutating func merge(_ other: Grants) {
            grants.merge(other.grants) { Grant(allow: $0.allow + $1.allow, deny: $0.deny + $1.deny) }
        }

        /// One line for each pattern, in no order.
        var lines: Set<String> {
            Set(
                grants.flatMap { right, grant in
                    grant.allow.map { "\(right) allow \($0)" } + grant.deny.map { "\(right) deny \($0)" }
                }
            )
        }
    }
}
