/// The digests of a pipeline's definition, part by part, by which a later worker knows which parts have changed.
public struct DefinitionParts: Hashable, Sendable {
    /// SHA-256 of the seeds and the outputs.
    public var frame: Fingerprint
    /// The digests of the actions, in the order in which the pipeline executes them.
    public var actions: [Action]

    /// The digests of one action.
    public struct Action: Hashable, Sendable {
        /// The action's id.
        public var id: String
        /// SHA-256 of what the action does and requires.
        public var work: Fingerprint
        /// SHA-256 of how the worker treats the action: its time limit, and its policy for failures.
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
