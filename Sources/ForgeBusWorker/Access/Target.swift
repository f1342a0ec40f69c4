public import ForgeBusProtocol

extension AccessPolicy {
    /// What a request acts on: one name, or every name that a pattern matches.
    public struct Target: Hashable, Sendable, CustomStringConvertible {
        /// A name, or a pattern, as the request spelled it.
        let text: String

        init(text: String) { self.text = text }

        /// One topic, pipeline, signal, monitor or verb.
        public static func name(_ name: Name) -> Target { Target(text: name.text) }

        /// Every name that `pattern` matches: a grant must cover them all, and a denial of any refuses all.
        ///
        /// One single pattern of the grant must cover it.
        public static func every(_ pattern: NamePattern) -> Target { Target(text: pattern.text) }

        /// One item to read, except a run: `signal.deploy.42.approve`, `monitor.stock`.
        public static func item(_ kind: ItemKind, _ name: Name) -> Target { Target(text: "\(kind.rawValue).\(name)") }

        /// All items of a kind, to read: `monitor.>`.
        public static func all(_ kind: ItemKind) -> Target { Target(text: "\(kind.rawValue).>") }

        /// The subject of an event: `run.PIPELINE.RUN`, `signal.ID`, `monitor.NAME`.
        static func event(_ subject: EventSubject) -> Target { Target(text: subject.text) }

        /// A run to read: `run.PIPELINE.RUN`.
        static func run(_ run: Name, of pipeline: Name) -> Target { Target(text: "run.\(pipeline).\(run)") }

        /// The name or pattern as the request spelled it.
        public var description: String { text }
    }
}
