import ArgumentParser

/// How long a command waits for the end of a run.
struct RunPatience: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Seconds to wait before showing the run's state; 0 shows it now. Without it, until the run ends.",
            valueName: "seconds"
        )
    )
    var wait: Double?

    /// Nil means to wait for the end.
    var limit: Duration? { wait.map { .seconds($0) } }

    func validate() throws {
        if let wait, !(0...31_536_000).contains(wait) {
            throw ValidationError("--wait takes seconds, from 0 to 31536000.")
        }
    }
}
