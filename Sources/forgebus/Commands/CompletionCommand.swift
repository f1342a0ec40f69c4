import ArgumentParser

/// The command `forgebus completion`, with its argument.
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Prints the script with which a shell completes the words of this program.",
        discussion: """
            Example: forgebus completion bash

            bash: `source <(forgebus completion bash)` in ~/.bashrc
            zsh: `forgebus completion zsh > _forgebus` in a directory of $fpath
            fish: `forgebus completion fish > ~/.config/fish/completions/forgebus.fish`
            """
    )

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish
    }

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: Shell

    func run() throws {
        Terminal.say(document: Forgebus.completionScript(for: CompletionShell(rawValue: shell.rawValue) ?? .bash))
        try Terminal.checkWritten()
    }
}
