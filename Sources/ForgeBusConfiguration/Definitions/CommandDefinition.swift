import ForgeBusProtocol

/// A program and its arguments, as the file defines them.
struct CommandDefinition {
    /// The program and its arguments; never empty.
    let arguments: [String]
    /// The place of the program in the file, for error messages.
    let entry: Entry

    /// The operators by which a shell connects commands or redirects their output.
    ///
    /// The author of a file who gives such an operator as an argument expects a shell.
    private static let operators: Set<String> = ["|", "||", "&&", "&", ">", ">>", "<", "2>", "2>&1", "&>"]

    /// Reads a list of a program and its arguments; nil after recording a problem.
    init?(_ entry: Entry) {
        let (expected, example) = ("a list of a program and its arguments", "Write a list such as [make, all].")
        guard let elements = entry.someElements(expected, next: example) else { return nil }
        let next =
            "Write a text, in quotation marks if it contains `: ` or begins with a brace or a bracket; each argument "
            + "is an entry of its own in the list."
        let arguments = elements.compactMap { $0.text("a text as an argument", next: next) }
        guard arguments.count == elements.count else { return nil }
        if arguments[0].isEmpty {
            elements[0].note(.badValue, "Expected a program, found an empty text.", next: "Write its name or path.")
            return nil
        }
        for (element, argument) in zip(elements, arguments) { Self.check(argument, at: element) }
        (self.arguments, self.entry) = (arguments, elements[0])
    }

    /// Records a problem for a placeholder or a shell operator, which the program would get unchanged.
    private static func check(_ argument: String, at entry: Entry) {
        if let placeholder = argument.firstMatch(of: #/\{(?:run\.id|seed\.[^{}]*|value\.[^{}]*)\}/#) {
            entry.note(
                .badValue,
                "Commands have no placeholders: the program would get the text \(Printable.quoted(String(placeholder.output))).",
                next: "Let the program read what it needs: in a pipeline, its standard input has the run's values as "
                    + "JSON, and the variable FORGE_RUN has the run's id; in a monitor, its standard input has the "
                    + "cycle's notifications as JSON."
            )
        }
        if operators.contains(argument) {
            entry.note(
                .badValue,
                "Commands run without a shell: the program would get the argument \(Printable.quoted(argument)).",
                next: "Put the whole line into a script, or write [sh, -c, 'LINE']."
            )
        }
    }
}
