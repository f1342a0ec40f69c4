import ArgumentParser

/// How long a command waits for the end of a run.
struct RunPatience: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long to wait for the run's end before showing its state, such as 30s, 5m or 2d. Without this option: until the run ends.",
            valueName: "time"
        ),
        transform: TimeSpan.read
    )
    var wait: Duration?

    func validate() throws { try TimeSpan.check(wait, "--wait", from: .zero, to: .seconds(31_536_000)) }
}
