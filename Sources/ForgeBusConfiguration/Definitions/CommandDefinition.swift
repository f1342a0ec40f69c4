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
        let arguments = elements.compactMap { $0.text("a text as an argument", next: Errors.argument) }
        guard arguments.count == elements.count else { return nil }
        if arguments[0].isEmpty {
            elements[0].note(Errors.emptyProgram)
            return nil
        }
        for (element, argument) in zip(elements, arguments) { Self.check(argument, at: element) }
        (self.arguments, self.entry) = (arguments, elements[0])
    }

    /// Records a problem for a placeholder or a shell operator, which the program would get unchanged.
    private static func check(_ argument: String, at entry: Entry) {
        if let placeholder = argument.firstMatch(of: #/\{(?:run\.id|seed\.[^{}]*|value\.[^{}]*)\}/#) {
            entry.note(Errors.placeholderInCommand(String(placeholder.output)))
        }
        if operators.contains(argument) { entry.note(Errors.shellOperator(argument)) }
    }
}
