public import ForgeBusProtocol

/// The key of a run that executes apart from all other runs with the same key.
public struct ExclusiveKey: Hashable, Sendable {
    /// The runs among which the key has a meaning.
    public enum Scope: Hashable, Sendable {
        /// The runs of this pipeline.
        case pipeline(Name)
        /// The runs of all pipelines in this group.
        case group(Name)
    }

    /// The runs among which the key has a meaning.
    public var scope: Scope
    /// The text that the pipeline made from the seeds of the run, such as `production`.
    public var value: String

    /// Creates a key.
    public init(_ scope: Scope, _ value: String) { (self.scope, self.value) = (scope, value) }
}
