import ForgeBusProtocol
import Yams

// The errors about the syntax of a YAML file, in words that need no knowledge of libyaml.

extension Errors {
    /// The error about a `problem`, as libyaml names it; `context` is what libyaml was reading, and where that begins.
    ///
    /// A problem that this function does not know keeps libyaml's words.
    static func syntax(_ context: YamlError.Context?, _ problem: String) -> ConfigurationError {
        let start = context.map { "that begins at \($0.mark.line):\($0.mark.column)" } ?? ""
        return switch (context?.text, problem) {
        case ("while parsing a flow sequence", _):
            notYAML(
                "the list in brackets \(start) has neither `,` nor `]` after its last value",
                next: "Check the lines from there to here: a list has a comma between its values, and `]` at its end."
            )
        case ("while parsing a flow mapping", _):
            notYAML(
                "the mapping in braces \(start) has neither `,` nor `}` after its last value",
                next: "Check the lines from there to here: a mapping has a comma between its keys, and `}` at its end."
            )
        case ("while parsing a block mapping", "did not find expected key"):
            notYAML(
                "the mapping \(start) cannot go on like this: a key is expected here",
                next: "\(indentation); the keys of a mapping begin in the same column."
            )
        case ("while parsing a block collection", _):
            notYAML(
                "the list \(start) cannot go on like this: each of its entries begins with `-`",
                next: "\(indentation); the entries of a list begin in the same column."
            )
        case ("while scanning a quoted scalar", _):
            notYAML(
                "the text in quotation marks \(start) has no end",
                next: "Write the closing quotation mark. A quotation mark inside the text is doubled between single "
                    + "quotation marks, and escaped as \\\" between double ones."
            )
        case ("while parsing a quoted scalar", _):
            notYAML(
                "the text in double quotation marks \(start) has an invalid escape after a backslash here",
                next: "Write \\\\ for a backslash, or put the text in single quotation marks, where a backslash needs "
                    + "no escape."
            )
        case ("while scanning a simple key", _):
            notYAML(
                "the text \(start) is at the place of a key, but has no `:` after it",
                next: "Write a key as `KEY: VALUE`, and indent the further lines of a text."
            )
        case (_, "mapping values are not allowed in this context"):
            notYAML(
                "there is a `:` at a place where no key can be",
                next: "Put a text that contains `: ` in quotation marks, or write the key on a line of its own."
            )
        case (_, "block sequence entries are not allowed in this context"):
            notYAML(
                "there is a `-` at a place where no list can begin",
                next: "Write the list on the lines below its key, or put a text that begins with `- ` in quotation "
                    + "marks."
            )
        default: unknownSyntax(problem + (context.map { " \($0.text)" } ?? ""))
        }
    }

    /// A problem of the syntax of which nothing more is known.
    static func unknownSyntax(_ problem: String) -> ConfigurationError {
        notYAML(
            problem,
            next:
                "Correct the syntax here or in the lines before; write a text with special characters in quotation marks."
        )
    }

    static func unreadableSyntax(_ error: any Error) -> ConfigurationError {
        notYAML("\(error)", next: "Correct the file.")
    }

    static func unreadableCharacter(_ problem: String) -> ConfigurationError {
        notYAML(
            problem,
            next: "Remove the character here. Or write it as an escape, such as \\u0007, in double quotation marks."
        )
    }

    static var tab: ConfigurationError {
        notYAML("a tab is at a place where only spaces are allowed", next: "Replace the tab by spaces.")
    }

    /// A character with which no value can begin; nil if the file ends there.
    static func startOfValue(_ character: Character?) -> ConfigurationError {
        let shown = character.map { " \(Printable.quoted(String($0)))" } ?? ""
        return notYAML(
            "no value can begin with the character\(shown) here",
            next: "Put a text that begins with it in quotation marks."
        )
    }

    static var secondDocument: ConfigurationError {
        ConfigurationError(
            .notYAML,
            "Expected one YAML document, found another document here.",
            next: "Write one document: remove this line `---`, or move the text after it into another file."
        )
    }

    private static let indentation = "Check the indentation and the quotation marks here and in the lines before"

    /// An error whose `cause` is a clause without its full stop.
    private static func notYAML(_ cause: String, next: String) -> ConfigurationError {
        ConfigurationError(.notYAML, "This is not YAML: \(cause).", next: next)
    }
}
