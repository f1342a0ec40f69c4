/// The errors of gates that limit who may decide; these are errors only if the worker has no keys.
///
/// A program may give the worker keys after it has read the file. So these errors are thrown only when the worker is
/// made.
///
/// Owned by the code that reads the file.
final class UnkeyedGates {
    private(set) var errors: [ConfigurationError] = []

    /// Adds the error of a gate, if it has one.
    func add(_ gate: GateDefinition) {
        if let error = gate.unkeyed { errors.append(error) }
    }
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
