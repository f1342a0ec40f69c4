import ArgumentParser

/// The format in which answers are printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    /// Lines for people.
    case text
    /// One JSON document, for programs that parse the whole output.
    case json
    /// One JSON object on each line, for programs that read the output while the command runs.
    case jsonl
}

/// The options of every command that prints answers.
struct OutputOptions: ParsableArguments {
    @Option(
        name: [.short, .customLong("output")],
        help: "The output format: text, json (one document) or jsonl (one object on each line)."
    )
    var output: OutputFormat = .text
}
