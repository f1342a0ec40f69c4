import ArgumentParser

/// How long a command waits for the end of a run.
struct RunPatience: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Seconds to wait for the run's end before showing its state. Without this option: until it ends.",
            valueName: "seconds"
        )
    )
    var wait: Double?

    /// How long to wait for the end of the run; nil waits until it ends.
    var limit: Duration? { wait.map { .seconds($0) } }

    func validate() throws {
        if let wait, !(0...31_536_000).contains(wait) {
            throw ValidationError("--wait must be a number of seconds from 0 to 31536000.")
        }
    }
}
