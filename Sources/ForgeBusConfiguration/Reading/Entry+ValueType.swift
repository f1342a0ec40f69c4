import ForgeBusProtocol
import ForgeBusWorker

extension Entry {
    /// The value as the name of a type; nil after recording that it is not a type's name.
    var valueType: ValueType? {
        let expected = "one of \(ValueType.names)"
        guard let text = text(expected) else { return nil }
        if let type = ValueType(rawValue: text) { return type }
        let guess = Spelling.guess(text, among: ValueType.allCases.map(\.rawValue))
        note(Errors.notChoice(text, expected: expected, guess: guess))
        return nil
    }
}

extension ValueType {
    /// The names of all types, for messages.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")
}
