import ArgumentParser
import ForgeBusConfiguration
import ForgeBusProtocol
import ForgeBusWorker

/// The command `forgebus access`, with its arguments and options.
struct AccessCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "access",
        abstract: "Checks access files.",
        discussion: "Example: forgebus access check access.yaml",
        subcommands: [Check.self]
    )

    /// The command `forgebus access check`, with its arguments and options.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Reads an access file as a worker would, and shows its principals and groups, or its errors.",
            discussion: "Exits 78 for a file that a worker would refuse."
        )

        @Argument(help: "The access file.")
        var file: String

        @OptionGroup var form: OutputOptions

        func run() throws {
            let output = Output(form.output, .one)
            let policy: AccessPolicy
            do throws(ConfigurationError) {
                policy = try AccessFile(contentsOf: file).policy
            } catch {
                output.show(error)
                throw ExitStatus.configuration.exit
            }
            show(policy, output)
            try Terminal.checkWritten()
        }

        private func show(_ policy: AccessPolicy, _ output: Output) {
            let members = policy.members
            let lines = members.map { "  \($0.name.padded(to: 20))\($0.keys == 1 ? "1 key" : "\($0.keys) keys")" }
            let groups = policy.groupNames.map { ($0, policy.group($0).sorted()) }
            let groupLines = groups.map { "  group \($0)".padded(to: 22) + $1.joined(separator: ", ") }
            output.show(
                ["\(file) is valid (the worker's audit and log name it by the digest \(policy.digest))"] + lines
                    + groupLines,
                [
                    "file": .string(file), "digest": .string(policy.digest),
                    "principals": .array(
                        members.map {
                            .object(["principal": .string($0.name), "keys": .integer(Int64($0.keys))])
                        }
                    ),
                    "groups": .array(
                        groups.map { name, members in
                            .object(["group": .string(name), "members": .array(members.map { .string($0) })])
                        }
                    ),
                ]
            )
        }
    }
}

extension AccessPolicy {
    /// The principals, sorted by name, each with the number of its keys.
    fileprivate var members: [(name: String, keys: Int)] {
        let owners = keys.compactMap { principal(forKey: $0)?.name }
        return principalNames.map { name in (name, owners.count { $0 == name }) }
    }
}
