/// A kind of mapping in a file: its owner in messages, and its keys.
///
/// Each key is declared once, here: the readers take its bounds and messages from it, and the tables of the pages and the
/// JSON Schema are made from it.
struct Shape: Sendable {
    /// The mapping's owner in messages, as in "not a key of a pipeline".
    let owner: String
    /// The keys, in the order in which messages and pages list them.
    let keys: [Key]

    init(_ owner: String, _ keys: [Key]) { (self.owner, self.keys) = (owner, keys) }

    /// The names of the keys.
    var names: [String] { keys.map(\.name) }

    /// The declaration of a key; a key that no shape declares ends the process with an error message.
    subscript(name: String) -> Key {
        guard let key = keys.first(where: { $0.name == name }) else {
            fatalError("Internal error: \(owner) has no key \(name).")
        }
        return key
    }
}

/// A key of a mapping in a file.
struct Key: Sendable {
    let name: String
    let form: Form
    /// The end of the message about a missing key, as in "a monitor has at least one action"; nil for an optional key.
    let need: String?
    /// The value without the key, as a page shows it; empty for none.
    let usual: String
    /// What the value means, for the page and the schema; the bounds are added to it.
    let help: String
    /// For an action's key, which actions have it, as the page says it.
    let place: String

    /// Declares an optional key.
    init(_ name: String, _ form: Form, usual: String = "none", at place: String = "", _ help: String) {
        (self.name, self.form, self.usual, self.place, self.help) = (name, form, usual, place, help)
        need = nil
    }

    /// Declares a required key.
    init(_ name: String, _ form: Form, need: String, at place: String = "", _ help: String) {
        (self.name, self.form, self.need, self.place, self.help) = (name, form, need, place, help)
        usual = "required"
    }
}

/// The form of a value in a file.
indirect enum Form: Sendable {
    /// A scalar, exactly as written; `expected` describes it in messages.
    case text(String)
    /// A name of the bus.
    case name(String)
    case flag
    case integer(ClosedRange<Int>)
    /// A time with its unit.
    case time(ClosedRange<Duration>)
    /// A size with its unit, in bytes.
    case size(ClosedRange<Int>)
    /// One of these words.
    case choice([String])
    /// A list; with `isEmpty` false, it has at least one element.
    case list(Form, isEmpty: Bool = false)
    case mapping(Shape)
    /// A mapping of names to values of this form.
    case named(Form)
    /// One of these forms.
    case either([Form])
    /// Any value.
    case any

    /// A program and its arguments.
    static let command = Form.list(.text("a text as an argument"))
}

extension Form {
    /// The bounds or words of the form, as a page and a message give them; nil for a form without bounds.
    var bounds: String? {
        switch self {
        case .integer(let bounds): "\(bounds.lowerBound) to \(bounds.upperBound)"
        case .time(let bounds):
            "\(DurationText.text(of: bounds.lowerBound)) to \(DurationText.text(of: bounds.upperBound))"
        case .size(let bounds): "\(SizeText.text(of: bounds.lowerBound)) to \(SizeText.text(of: bounds.upperBound))"
        case .choice(let words):
            words.count == 1
                ? "`\(words[0])`"
                : words.dropLast().map { "`\($0)`" }.joined(separator: ", ") + " or `\(words[words.count - 1])`"
        case .flag: "`true` or `false`"
        case .list(let element, _): element.bounds
        case .text, .name, .mapping, .named, .either, .any: nil
        }
    }
}

extension Fields {
    /// The value under a key as a whole number within its bounds.
    func integer(_ key: String) -> Int? {
        guard case .integer(let bounds) = form(of: key) else { return nil }
        return self[key]?.integer(bounds)
    }

    /// The value under a key as a time within its bounds.
    func time(_ key: String) -> Duration? {
        guard case .time(let bounds) = form(of: key) else { return nil }
        return self[key]?.duration(bounds)
    }

    /// The value under a key as a size in bytes within its bounds.
    func size(_ key: String) -> Int? {
        guard case .size(let bounds) = form(of: key) else { return nil }
        return self[key]?.size(bounds)
    }

    /// The value under a key, which is one of the words of `choices`.
    func choice<Value>(_ key: String, _ choices: KeyValuePairs<String, Value>) -> Value? {
        guard let form = form(of: key), case .choice = form, let expected = form.bounds else { return nil }
        return self[key]?.choice(choices, expected)
    }

    /// The fields of the mapping under a key.
    func fields(_ key: String) -> Fields? {
        guard case .mapping(let shape) = form(of: key) else { return nil }
        return self[key].flatMap { Fields($0, shape) }
    }

    /// The form of a key; nil if a mapping of this kind does not have the key.
    private func form(of key: String) -> Form? { shape.keys.first { $0.name == key }?.form }
}
