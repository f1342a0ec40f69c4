import ArgumentParser

/// How answers are printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    /// For people.
    case text
    /// For programs that parse the whole output: one JSON document.
    case json
    /// For programs that read along: one JSON object a line.
    case jsonl
}

/// The options of every command that prints answers.
struct OutputOptions: ParsableArguments {
    @Option(
        name: [.short, .customLong("output")],
        help: "How to print: text, json (one document) or jsonl (one object a line)."
    )
    var output: OutputFormat = .text
}
