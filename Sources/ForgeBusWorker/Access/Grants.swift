public import ForgeBusProtocol

extension AccessPolicy {
    /// A right that a policy can grant, such as `run` or `read`.
    public typealias Right = ForgeBusProtocol.Right

    /// The targets of a right: everything that a pattern allows and no pattern denies.
    public struct Grant: Hashable, Sendable {
        /// The patterns of the allowed targets.
        public var allow: [NamePattern]
        /// The patterns of the denied targets; a denial wins over ``allow``.
        public var deny: [NamePattern]

        /// Creates a grant on the targets that `allow` matches, except those that `deny` matches; by default on no
        /// target.
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

        /// Creates grants by right; a right that is missing here is not granted.
        public init(_ grants: [Right: Grant] = [:]) { self.grants = grants }

        /// The grant of a right; empty if the right is not granted.
        public subscript(right: Right) -> Grant {
            get { grants[right] ?? Grant() }
            set { grants[right] = newValue }
        }

        /// Adds everything that `other` allows and denies; what one of the two denies stays denied.
        public mutating func merge(_ other: Grants) {
            grants.merge(other.grants) { Grant(allow: $0.allow + $1.allow, deny: $0.deny + $1.deny) }
        }

        /// Whether these grants let their principal send requests for another one.
        ///
        /// - Parameters:
        ///   - right: The right that the request needs.
        ///   - target: `RIGHT.PRINCIPAL`.
        /// - Returns: True if a pattern covers the target, and no denied pattern overlaps it.
        func letsAct(with right: Right, on target: Target) -> Bool {
            var grant = self[.actAs]
            // These two are given by their names only, so that a wildcard cannot give them by mistake.
            if right == .mode || right == .admin { grant.allow.removeAll { !$0.text.hasPrefix("\(right.rawValue).") } }
            return grant.covers(target)
        }

        /// A further right of a principal with the right ``Right/actAs``; nil without `actAs`, or without another right.
        package var rightBesideActing: Right? {
            guard !self[.actAs].allow.isEmpty else { return nil }
            return Right.own.first { !self[$0].allow.isEmpty }
        }

        /// The grants as text, one line for each pattern; equal grants have equal lines.
        var lines: Set<String> {
            Set(
                grants.flatMap { right, grant in
                    grant.allow.map { "\(right) allow \($0)" } + grant.deny.map { "\(right) deny \($0)" }
                }
            )
        }
    }
}
