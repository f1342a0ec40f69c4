public import ForgeBusProtocol

extension AccessPolicy {
    /// The target of a request: one name, or all names that a pattern matches.
    public struct Target: Hashable, Sendable, CustomStringConvertible {
        /// The name or the pattern, as the request spelled it.
        let text: String

        init(text: String) { self.text = text }

        /// The target with this name: a topic, a pipeline, a signal, a monitor or a verb.
        public static func name(_ name: Name) -> Target { Target(text: name.text) }

        /// All names that `pattern` matches.
        ///
        /// One single pattern of the grant must cover all these names. If the policy denies one of them, the
        /// whole request is refused.
        public static func every(_ pattern: NamePattern) -> Target { Target(text: pattern.text) }

        /// One item to read, such as `signal.deploy.42.approve` or `monitor.stock`.
        ///
        /// For a run, call ``AccessPolicy/ruling(for:_:on:known:)`` instead.
        public static func item(_ kind: ItemKind, _ name: Name) -> Target { Target(text: "\(kind.rawValue).\(name)") }

        /// All items of a kind to read, such as `monitor.>`.
        public static func all(_ kind: ItemKind) -> Target { Target(text: "\(kind.rawValue).>") }

        /// The subject of an event: `run.PIPELINE.RUN`, `signal.ID`, `monitor.NAME`.
        static func event(_ subject: EventSubject) -> Target { Target(text: subject.text) }

        /// A run to read: `run.PIPELINE.RUN`.
        static func run(_ run: Name, of pipeline: Name) -> Target { Target(text: "run.\(pipeline).\(run)") }

        /// The target's name or pattern, as the request spelled it.
        public var description: String { text }
    }
}
