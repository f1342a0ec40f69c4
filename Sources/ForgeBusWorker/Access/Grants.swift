public import ForgeBusProtocol

extension AccessPolicy {
    /// What can be allowed.
    public typealias Right = ForgeBusProtocol.Right

    /// How far a right goes: what one of the patterns allows and none of them denies.
    public struct Grant: Hashable, Sendable {
        /// What is allowed.
        public var allow: [NamePattern]
        /// What is not, whoever allows it.
        public var deny: [NamePattern]

        /// A right on what `allow` means, without what `deny` means; on nothing by default.
        public init(allow: [NamePattern] = [], deny: [NamePattern] = []) {
            self.allow = allow
            self.deny = deny
        }

        /// Whether all of `target` is allowed and nothing of it is denied.
        func covers(_ target: Target) -> Bool {
            allow.contains { $0.covers(target.text) } && !deny.contains { $0.overlaps(target.text) }
        }
    }

    /// What somebody may do.
    public struct Grants: Hashable, Sendable {
        private var grants: [Right: Grant]

        /// Grants by their rights; what is not among them is not granted.
        public init(_ grants: [Right: Grant] = [:]) { self.grants = grants }

        /// How far a right goes.
        public subscript(right: Right) -> Grant {
            get { grants[right] ?? Grant() }
            set { grants[right] = newValue }
        }

        /// Adds what another set of grants allows, and what it denies: a denial of either holds.
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
