import TestSupport

@testable import ForgeBusConfiguration

extension Command {
    /// A command of a test, with a PATH and nothing else in its environment.
    init(
        _ arguments: [String],
        in directory: TemporaryDirectory,
        environment: [String: String] = ["PATH": "/usr/bin:/bin"],
        timeLimit: Duration = .seconds(60)
    ) {
        self.init(arguments: arguments, directory: directory.path, environment: environment, timeLimit: timeLimit)
    }

    static func shell(_ script: String, in directory: TemporaryDirectory, timeLimit: Duration = .seconds(60)) -> Command
    {
        Command(["/bin/sh", "-c", script], in: directory, timeLimit: timeLimit)
    }
}

extension CommandResult {
    var text: String { String(decoding: output.bytes, as: UTF8.self) }
}
