/// A pipeline's definition as the digests of its parts; a later worker compares them to find the parts that changed.
public struct RunDefinition: Hashable, Sendable {
    /// The SHA-256 digest of the seeds and the outputs that the pipeline declares.
    public var frame: Fingerprint
    /// The digests of the actions, in the order in which the pipeline executes them.
    public var actions: [Action]

    /// The digests of one action.
    public struct Action: Hashable, Sendable {
        /// The action's id.
        public var id: String
        /// The SHA-256 digest of what the action does.
        ///
        /// It covers the action's type, its requirements, and the revision text that the host declares for its work.
        /// For a gate it also covers the signal, and for an action that requests a run, what the action requests.
        public var work: Fingerprint
        /// The SHA-256 digest of how the worker executes the action.
        ///
        /// It covers the action's policy for failures, and the revision text that the host declares for the handling of
        /// the action, such as a time limit.
        public var handling: Fingerprint

        /// Creates the digests of the action `id`.
        public init(id: String, work: Fingerprint, handling: Fingerprint) {
            self.id = id
            self.work = work
            self.handling = handling
        }
    }

    /// The definition of a run that has ended, or whose pipeline is not served.
    public static let none = RunDefinition(frame: Fingerprint(0, 0, 0, 0), actions: [])

    /// Creates the digests of a definition.
    public init(frame: Fingerprint, actions: [Action]) {
        self.frame = frame
        self.actions = actions
    }
}
