/// The gates of a file.
///
/// Owned by the code that reads the file.
final class GateList {
    private(set) var gates: [GateRules.NamedGate] = []

    /// Adds a gate.
    func add(_ gate: GateRules.NamedGate) { gates.append(gate) }

    /// The errors of gates that limit who may decide; these are errors only if the worker has no keys.
    ///
    /// A program may give the worker keys after it has read the file. So these errors are thrown only when the worker is
    /// made.
    var unkeyed: [ConfigurationError] { gates.compactMap(\.gate.unkeyed) }
}

extension WorkerFile {
    /// Checks that the worker has keys if a gate of the file limits who may decide.
    ///
    /// - Throws: ``ConfigurationError`` with the place of the first such gate; ``ConfigurationError/others`` contains
    ///   the errors of the other gates.
    package func checkIdentities() throws(ConfigurationError) {
        if case .local = configuration.access { try ConfigurationError.check(unkeyed) }
    }
}
