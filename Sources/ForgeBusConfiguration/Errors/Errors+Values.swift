import ForgeBusProtocol

// The errors about a value of a file, whatever the value is for.

extension Errors {
    static func tooManyValues(limit: Int) -> ConfigurationError {
        ConfigurationError(
            .tooLarge,
            "The file's aliases expand to more than \(limit) values.",
            next: "Use fewer aliases."
        )
    }

    static func emptyFile(expecting content: String) -> ConfigurationError {
        ConfigurationError(.missingKey, "The file is empty.", next: "Write \(content).")
    }

    /// A value of the wrong type; if `next` is nil, the next move is to write what was expected.
    static func wrongType(_ found: String, expected: String, next: String? = nil) -> ConfigurationError {
        ConfigurationError(.wrongType, "Expected \(expected), found \(found).", next: next ?? "Write \(expected).")
    }

    static func tag(_ tag: String) -> ConfigurationError {
        ConfigurationError(
            .wrongType,
            "Expected a value without a tag, found the tag \(Printable.quoted(tag)).",
            next: "Remove the tag. Put a text that begins with ! in quotation marks, and also a number or a word such "
                + "as `true` that must stay a text."
        )
    }

    static var nul: ConfigurationError {
        ConfigurationError(
            .badValue,
            "This text contains the character NUL, which is not allowed here.",
            next: "If you wrote \\0 in double quotation marks, which YAML reads as NUL, write \\\\0 for a "
                + "backslash and a zero. Otherwise remove the character."
        )
    }

    /// A number that is not written as JSON writes it, such as `+5`, or that is in quotation marks.
    static func numberAsText(_ found: String, expected: String, number: Int, isQuoted: Bool) -> ConfigurationError {
        wrongType(
            found,
            expected: expected,
            next: isQuoted ? "Write \(number) without quotation marks." : "Write \(number)."
        )
    }

    static func outOfBounds(_ found: String, expected: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "Expected \(expected), found \(found).",
            next: "Write a number within these bounds."
        )
    }

    /// What to write instead of a value that is not a time.
    static let timeWithUnit = "Write a number with its unit, such as 500ms, 10s, 2m, 1h30m or 3d."

    static func notTime(_ text: String, _ expected: String) -> ConfigurationError {
        ConfigurationError(.badValue, "Expected \(expected), found \(Printable.quoted(text)).", next: timeWithUnit)
    }

    /// A number that could mean seconds as well as milliseconds.
    static func timeWithoutUnit(_ number: String) -> ConfigurationError {
        ConfigurationError(
            .wrongType,
            "Expected a time with its unit, found the number \(number).",
            next: "Write the unit: \(number)s for seconds, \(number)ms for milliseconds, or m for minutes, h for hours "
                + "and d for days."
        )
    }

    /// What to write instead of a value that is not a size.
    static let sizeWithUnit = "Write a number with its unit, such as 64KiB, 256MiB or 2GiB."

    static func notSize(_ text: String, _ expected: String) -> ConfigurationError {
        ConfigurationError(.badValue, "Expected \(expected), found \(Printable.quoted(text)).", next: sizeWithUnit)
    }

    /// A number that could mean any unit.
    static func sizeWithoutUnit(_ number: String) -> ConfigurationError {
        ConfigurationError(
            .wrongType,
            "Expected a size with its unit, found the number \(number).",
            next: "Write the unit: \(number)B for bytes, or KiB, MiB, GiB."
        )
    }

    /// A text that is none of the words that a key can have.
    static func notChoice(_ text: String, expected: String, guess: String?) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "Expected \(expected), found \(Printable.quoted(text)).",
            guess: guess,
            next: "Write one of them."
        )
    }

    /// A text with a brace that is not one of the `placeholders` of `owner`.
    static func notPlaceholder(_ text: String, of owner: String, _ placeholders: String) -> ConfigurationError {
        let isSingle = text.wholeMatch(of: #/\{[^{}]*\}/#) != nil
        let brace = text.hasPrefix("{") ? " For a text that begins with a brace, write {{ at its start." : ""
        return ConfigurationError(
            .badValue,
            isSingle
                ? "\(Printable.quoted(text)) is not a placeholder of \(owner)."
                : "A brace begins a placeholder, and a placeholder must be the whole value; found "
                    + "\(Printable.quoted(text)).",
            next: "Write only one placeholder here: \(placeholders).\(brace)"
        )
    }

    static func unquotedPlaceholder(_ place: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "{\(place)} without quotation marks is a mapping with the key \"\(place)\" and no value.",
            next: "Write \"{\(place)}\", in quotation marks."
        )
    }
}

// MARK: Lists and mappings

extension Errors {
    /// An empty list; `optionalKey` is the key that could be left out instead, if it could.
    static func emptyList(expected: String, optionalKey: String?) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "Expected \(expected), found an empty list.",
            next: "Write at least one entry" + (optionalKey.map { ", or remove the key `\($0)`." } ?? ".")
        )
    }

    static func listedTwice(_ words: String) -> ConfigurationError {
        ConfigurationError(.duplicate, "\(words) is in this list already.", next: "Remove one.")
    }

    /// A key that the parser found twice, at the place of the first.
    static func keyTwice(_ key: String) -> ConfigurationError {
        ConfigurationError(
            .duplicate,
            "The key `\(key)` occurs more than once in this mapping, for the first time here.",
            next: "Rename or remove one of them."
        )
    }

    /// A key that occurs with and without quotation marks, at the place of the second.
    static func keyTwiceInOtherMarks(_ key: String) -> ConfigurationError {
        ConfigurationError(
            .duplicate,
            "The key `\(key)` occurs more than once in this mapping; with and without quotation marks, it is "
                + "the same key.",
            next: "Rename or remove one of them."
        )
    }

    static func keyOfWrongType(_ found: String) -> ConfigurationError {
        wrongType(
            found,
            expected: "a text as a key",
            next: "Write a text as a key. Put a text that begins with a brace or a bracket in quotation marks."
        )
    }

    static func unknownKey(_ name: String, of owner: String, known: [String], guess: String?) -> ConfigurationError {
        ConfigurationError(
            .unknownKey,
            "\(Printable.quoted(name)) is not a key of \(owner).",
            guess: guess,
            next: "The possible keys are \(known.joined(separator: ", "))."
        )
    }

    /// A missing key; `expected` is the end of the message, such as "a monitor has at least one action".
    static func missingKey(_ key: String, _ expected: String) -> ConfigurationError {
        ConfigurationError(.missingKey, "The key `\(key)` is missing: \(expected).", next: "Add the key here.")
    }
}
