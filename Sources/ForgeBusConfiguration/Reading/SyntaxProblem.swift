import Yams

/// What is wrong with the syntax of a YAML file, and what to do about it, in words that need no knowledge of libyaml.
struct SyntaxProblem {
    /// The problem, as a clause without its full stop.
    let cause: String
    let next: String

    init(_ cause: String, next: String) {
        self.cause = cause
        self.next = next
    }

    /// - Parameters:
    ///   - context: What libyaml was reading, with the place where that begins.
    ///   - problem: libyaml's name of the problem.
    ///
    /// A problem that this does not know keeps libyaml's words.
    init(_ context: YamlError.Context?, _ problem: String) {
        let start = context.map { "that begins at \($0.mark.line):\($0.mark.column)" } ?? ""
        switch (context?.text, problem) {
        case ("while parsing a flow sequence", _):
            self.init(
                "the list in brackets \(start) has neither `,` nor `]` after its last value",
                next: "Check the lines from there to here: a list has a comma between its values, and `]` at its end."
            )
        case ("while parsing a flow mapping", _):
            self.init(
                "the mapping in braces \(start) has neither `,` nor `}` after its last value",
                next: "Check the lines from there to here: a mapping has a comma between its keys, and `}` at its end."
            )
        case ("while parsing a block mapping", "did not find expected key"):
            self.init(
                "the mapping \(start) cannot go on like this: a key is expected here",
                next: "\(Self.indentation); the keys of a mapping begin in the same column."
            )
        case ("while parsing a block collection", _):
            self.init(
                "the list \(start) cannot go on like this: each of its entries begins with `-`",
                next: "\(Self.indentation); the entries of a list begin in the same column."
            )
        case ("while scanning a quoted scalar", _):
            self.init(
                "the text in quotation marks \(start) has no end",
                next: "Write the closing quotation mark. A quotation mark inside the text is doubled between single "
                    + "quotation marks, and escaped as \\\" between double ones."
            )
        case ("while parsing a quoted scalar", _):
            self.init(
                "the text in double quotation marks \(start) has an invalid escape after a backslash here",
                next: "Write \\\\ for a backslash, or put the text in single quotation marks, where a backslash needs "
                    + "no escape."
            )
        case ("while scanning a simple key", _):
            self.init(
                "the text \(start) is at the place of a key, but has no `:` after it",
                next: "Write a key as `KEY: VALUE`, and indent the further lines of a text."
            )
        case (_, "mapping values are not allowed in this context"):
            self.init(
                "there is a `:` at a place where no key can be",
                next: "Put a text that contains `: ` in quotation marks, or write the key on a line of its own."
            )
        case (_, "block sequence entries are not allowed in this context"):
            self.init(
                "there is a `-` at a place where no list can begin",
                next: "Write the list on the lines below its key, or put a text that begins with `- ` in quotation "
                    + "marks."
            )
        default:
            self.init(problem + (context.map { " \($0.text)" } ?? ""), next: Self.anything)
        }
    }

    /// What to do about a problem of which nothing more is known.
    static let anything =
        "Correct the syntax here or in the lines before; write a text with special characters in quotation marks."

    private static let indentation = "Check the indentation and the quotation marks here and in the lines before"
}
