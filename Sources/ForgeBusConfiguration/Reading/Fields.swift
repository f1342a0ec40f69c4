import ForgeBusProtocol

/// A mapping with known keys; an unknown key is recorded as a problem, with the key that was probably meant.
struct Fields {
    let entry: Entry
    /// The declaration of the keys.
    let shape: Shape
    private var values: [String: Entry] = [:]
    private var positions: [String: Position] = [:]

    /// Reads the fields of `entry`; nil after recording that it is not a mapping.
    ///
    /// - Parameters:
    ///   - entry: The value, which must be a mapping.
    ///   - shape: The allowed keys.
    ///   - others: Further keys that the caller reports itself.
    init?(_ entry: Entry, _ shape: Shape, and others: [String] = []) {
        self.shape = shape
        let next = "Write a mapping; its possible keys are \(shape.names.joined(separator: ", "))."
        guard let members = entry.members("a mapping with the keys of \(shape.owner)", next: next) else { return nil }
        self.entry = entry
        for member in members {
            values[member.name] = member.entry
            positions[member.name] = member.position
            if shape.names.contains(member.name) || others.contains(member.name) { continue }
            let guess = KeyGuess.guess(member.name, among: shape.names + others)
            let error = Errors.unknownKey(member.name, of: shape.owner, known: shape.names, guess: guess)
            entry.problems.add(error, at: member.position, key: member.entry.key)
        }
    }

    /// The value under a key; nil if the mapping does not have the key.
    subscript(key: String) -> Entry? { values[key] }

    /// The values under the keys that `isMeant` chooses, as a text, to recognise a change of the file.
    ///
    /// Equal values have the same text, regardless of their YAML style and the order of their keys.
    func revision(of isMeant: (String) -> Bool) -> String {
        let chosen = values.filter { isMeant($0.key) }.sorted { $0.key < $1.key }
        return chosen.map { "\(Printable.quoted($0.key)): \($0.value.plainRevision)\n" }.joined()
    }

    /// The value under a required key; nil after recording that the key is missing.
    func required(_ key: String) -> Entry? {
        if let value = values[key] { return value }
        entry.note(Errors.missingKey(key, shape[key].need ?? "it is needed"))
        return nil
    }

    /// Records a problem at the place of `key`.
    func note(_ error: ConfigurationError, at key: String) { entry.problems.add(placed(error, at: key)) }

    /// The error at the place of `key`, without recording it.
    func placed(_ error: ConfigurationError, at key: String) -> ConfigurationError {
        entry.problems.placed(error, at: positions[key] ?? entry.position, key: values[key]?.key ?? entry.key)
    }
}
