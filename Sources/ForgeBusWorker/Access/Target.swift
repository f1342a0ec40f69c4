public import ForgeBusProtocol

extension AccessPolicy {
    /// What a request wants to do something to: one name, or every name that a pattern means.
    public struct Target: Hashable, Sendable, CustomStringConvertible {
        /// A name, or a pattern, as the request spelled it.
        let text: String

        init(text: String) { self.text = text }

        /// One topic, pipeline, signal, monitor or verb.
        public static func name(_ name: Name) -> Target { Target(text: name.text) }

        /// Whatever `pattern` means: a grant must cover all of it, and a denial of any of it refuses all.
        ///
        /// One pattern of the grant must cover it alone.
        public static func every(_ pattern: NamePattern) -> Target { Target(text: pattern.text) }

        /// One thing to be read, a run apart: `signal.deploy.42.approve`, `monitor.stock`.
        public static func item(_ kind: ItemKind, _ name: Name) -> Target { Target(text: "\(kind.rawValue).\(name)") }

        /// Everything of a kind, to be read: `monitor.>`.
        public static func all(_ kind: ItemKind) -> Target { Target(text: "\(kind.rawValue).>") }

        /// What an event tells of: `run.PIPELINE.RUN`, `signal.ID`, `monitor.NAME`.
        static func event(_ subject: EventSubject) -> Target { Target(text: subject.text) }

        /// A run to be read: `run.PIPELINE.RUN`.
        static func run(_ run: RunID, of pipeline: PipelineName) -> Target { Target(text: "run.\(pipeline).\(run)") }

        /// The name or pattern as the request spelled it.
        public var description: String { text }
    }
}
