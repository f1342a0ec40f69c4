import ForgeBusProtocol

/// A mapping with known keys; an unknown key is recorded as a problem, with the key that was probably meant.
struct Fields {
    let entry: Entry
    private var values: [String: Entry] = [:]
    private var positions: [String: Position] = [:]

    /// Reads the fields of `entry`; nil after recording that it is not a mapping.
    ///
    /// - Parameters:
    ///   - entry: The value, which must be a mapping.
    ///   - known: The allowed keys, in the order in which messages list them.
    ///   - owner: The mapping's name in messages, as in "not a key of a pipeline".
    init?(_ entry: Entry, _ known: [String], of owner: String) {
        let next = "Write a mapping; its possible keys are \(known.joined(separator: ", "))."
        guard let members = entry.members("a mapping with the keys of \(owner)", next: next) else { return nil }
        self.entry = entry
        for member in members {
            values[member.name] = member.entry
            positions[member.name] = member.position
            if known.contains(member.name) { continue }
            let guess = KeyGuess.guess(member.name, among: known)
            let error = Errors.unknownKey(member.name, of: owner, known: known, guess: guess)
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
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - expected: The end of the message about a missing key, such as "a monitor has at least one action".
    /// - Returns: The value; nil if the key is missing.
    func required(_ key: String, _ expected: String) -> Entry? {
        if let value = values[key] { return value }
        entry.note(Errors.missingKey(key, expected))
        return nil
    }

    /// Records a problem at the place of `key`.
    func note(_ error: ConfigurationError, at key: String) { entry.problems.add(placed(error, at: key)) }

    /// The error at the place of `key`, without recording it.
    func placed(_ error: ConfigurationError, at key: String) -> ConfigurationError {
        entry.problems.placed(error, at: positions[key] ?? entry.position, key: values[key]?.key ?? entry.key)
    }
}
