/// The digests of the parts of a pipeline's definition; a later worker compares them to find the parts that changed.
public struct DefinitionParts: Hashable, Sendable {
    /// The SHA-256 digest of the seeds and the outputs that the pipeline declares.
    public var frame: Fingerprint
    /// The digests of the actions, in the order in which the pipeline executes them.
    public var actions: [Action]

    /// The digests of one action.
    public struct Action: Hashable, Sendable {
        /// The action's id.
        public var id: String
        /// The SHA-256 digest of the action's type, its signal if it is a gate, the revision text of its work that the
        /// host declares, and its requirements.
        public var work: Fingerprint
        /// The SHA-256 digest of how the worker handles the action: the revision text that the host declares for the
        /// handling, such as a time limit, and the action's policy for failures.
        public var handling: Fingerprint

        /// Creates the digests of the action `id`.
        public init(id: String, work: Fingerprint, handling: Fingerprint) {
            self.id = id
            self.work = work
            self.handling = handling
        }
    }

    /// Creates the digests of a definition.
    public init(frame: Fingerprint, actions: [Action]) {
        self.frame = frame
        self.actions = actions
    }
}
