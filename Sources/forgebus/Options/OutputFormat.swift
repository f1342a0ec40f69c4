import ArgumentParser

/// How answers are printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    /// For people.
    case text
    /// For programs that read all of it: one JSON document.
    case json
    /// For programs that read along: one JSON object a line.
    case jsonl
}

/// What every command that answers takes.
struct OutputOptions: ParsableArguments {
    @Option(
        name: [.short, .customLong("output")],
        help: "How to print: text, json (one document) or jsonl (one object a line)."
    )
    var output: OutputFormat = .text
}
