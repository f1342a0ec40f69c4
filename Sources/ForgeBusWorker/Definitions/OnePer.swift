public import ForgeBusProtocol
import ForgeBusStore

/// The rule that of a pipeline's runs with one key, only one at a time has begun.
///
/// A run holds its key from its first slot to its end, also while it waits or is parked.
public struct OnePer: Hashable, Sendable {
    /// What happens to a new run while another unfinished run has its key.
    public enum Newcomer: String, CaseIterable, Hashable, Sendable {
        /// The new run waits in its pipeline's queue until the key is free.
        case queue
        /// Each older run with the key ends as cancelled, as soon as it does not execute; then the new run begins.
        case supersede
        /// The request for the new run is refused, with the error `key_held`.
        case refuse
    }

    /// The most bytes of a key.
    public static let longestKey = 256

    /// The template of the key, such as `{seed.environment}`; an empty text takes the place of a missing seed.
    public let template: MessageTemplate
    /// The group whose pipelines share their keys; nil if the keys are those of the one pipeline.
    public let group: Name?
    /// What happens to a new run while another unfinished run has its key.
    public let newcomer: Newcomer

    /// Creates the rule.
    ///
    /// - Parameters:
    ///   - template: The template of the key; it names declared seeds that are not secret.
    ///   - group: The group whose pipelines share their keys; nil if the keys are those of the one pipeline.
    ///   - newcomer: What happens to a new run while another unfinished run has its key.
    public init(_ template: MessageTemplate, group: Name? = nil, then newcomer: Newcomer = .queue) {
        (self.template, self.group, self.newcomer) = (template, group, newcomer)
    }

    /// The key of a run of `pipeline` whose context begins with `values`.
    ///
    /// - Throws: `BusError` with code `bad_seed` if the key would be longer than ``longestKey``.
    func key(of pipeline: Name, with values: [String: any Sendable]) throws(BusError) -> ExclusiveKey {
        let value = template.text(with: values)
        guard value.utf8.count <= Self.longestKey else {
            throw Errors.keyTooLong(template.text, value.utf8.count, most: Self.longestKey)
        }
        return ExclusiveKey(group.map { .group($0) } ?? .pipeline(pipeline), value)
    }
}
