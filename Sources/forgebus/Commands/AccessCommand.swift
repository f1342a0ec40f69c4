import ArgumentParser
import ForgeBusConfiguration
import ForgeBusProtocol
import ForgeBusWorker
import ZeroMQ

#if HTTP
import ForgeBusGateway
#endif

/// The command `forgebus access`, with its arguments and options.
struct AccessCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "access",
        abstract: "Checks an access file, lists what it grants, and adds and removes principals in place.",
        discussion: "Example: forgebus access add access.yaml ada --group release --grant 'complete=deploy.>'",
        subcommands: [Check.self, List.self, Add.self, Remove.self]
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

// Listing.
extension AccessCommand {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the principals of an access file with their keys, tokens, groups and rights.",
            discussion: "The rights are those of a principal and of its roles; what is denied has a `!`."
        )

        @Argument(help: "The access file.")
        var file: String

        @OptionGroup var form: OutputOptions

        func run() throws {
            let output = Output(form.output, .several)
            let access: AccessFile
            do throws(ConfigurationError) { access = try AccessFile(contentsOf: file) } catch {
                output.show(error)
                output.end()
                throw ExitStatus.configuration.exit
            }
            var table = Table([.short("PRINCIPAL"), .short("KEYS"), .short("TOKENS"), .wide("GROUPS"), .wide("RIGHTS")])
            for member in access.members {
                let tokens = access.tokens.count { $0.principal == member.name }
                let groups = access.groups.filter { $0.value.contains(member.name) }.keys.map(\.text).sorted()
                let rights = Self.rights(member.grants)
                let line = rights.map { "\($0.key)=\($0.value.joined(separator: ","))" }.joined(separator: " ")
                table.add([member.name.text, "\(member.keys.count)", "\(tokens)", groups.joined(separator: " "), line])
                guard form.output != .text else { continue }
                let granted = rights.map { JSONObject.Entry(key: $0.key, value: .array($0.value.map { .string($0) })) }
                output.show(
                    "",
                    [
                        "principal": .string(member.name.text), "keys": .integer(Int64(member.keys.count)),
                        "tokens": .integer(Int64(tokens)), "groups": .array(groups.map { .string($0) }),
                        "rights": .object(granted.reduce(into: [:]) { $0[$1.key] = $1.value }),
                    ]
                )
            }
            if form.output == .text {
                Terminal.say(table.lines(width: Terminal.isInteractive ? max(60, Terminal.columns) : nil))
            }
            output.end()
            try Terminal.checkWritten()
        }

        private static func rights(_ grants: AccessPolicy.Grants) -> [(key: String, value: [String])] {
            AccessPolicy.Right.allCases.compactMap { right in
                let patterns = grants[right].allow.map(\.text) + grants[right].deny.map { "!\($0.text)" }
                return patterns.isEmpty ? nil : (right.rawValue, patterns)
            }
        }
    }
}

// Changing.
extension AccessCommand {
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a principal to an access file, which keeps its comments.",
            discussion: """
                Example: forgebus access add access.yaml ada --group release --grant 'complete=deploy.>' --key ada.key

                Afterwards, send SIGHUP to the worker, and to a process that serves HTTP. A file whose layout is another \
                than that of the documentation is not changed.
                """
        )

        @Argument(help: "The access file.")
        var file: String

        @Argument(help: "The name of the new principal.", transform: Words.name)
        var name: Name

        @Option(help: "A group to which it is added; repeat the option for more.", transform: Words.name)
        var group: [Name] = []

        @Option(help: "A role of the file that it gets; repeat the option for more.", transform: Words.name)
        var role: [Name] = []

        @Option(
            help: ArgumentHelp(
                "A right and a pattern, such as `run=deploy` or `read=run.>`; repeat the option for more.",
                valueName: "right=pattern"
            )
        )
        var grant: [String] = []

        @Option(help: "Its public key, or a certificate file with it; repeat the option for more.")
        var key: [String] = []

        #if HTTP
        @Flag(help: "Make a token for requests over HTTP too, and print it once.")
        var token = false
        #endif

        @OptionGroup var form: OutputOptions

        func validate() throws { _ = try grants() }

        func run() throws {
            let output = Output(form.output, .one)
            let keys: [PublicKey]
            do throws(BusError) { keys = try key.map { text throws(BusError) in try KeyOptions.publicKey(text) } } catch
            {
                output.show(error)
                throw ExitStatus(error.code).exit
            }
            var content = ["keys: [\(keys.map { "\"\($0)\"" }.joined(separator: ", "))]"]
            var shown: JSONObject = ["file": .string(file), "principal": .string(name.text)]
            var lines = ["\(name) is added to \(file); send SIGHUP to the processes that read it"]
            #if HTTP
            if token {
                let text = AccessToken.random()
                content += ["tokens:", "  - {hash: \"\(AccessToken.hash(of: text))\"}"]
                shown["token"] = .string(text)
                lines.append("token for \(name)  \(text)  (it is not shown again)")
            }
            #endif
            if !role.isEmpty { content.append("roles: [\(role.map(\.text).joined(separator: ", "))]") }
            for (right, patterns) in try grants() {
                content.append("\(right): [\(patterns.map { "\"\($0)\"" }.joined(separator: ", "))]")
            }
            do throws(ConfigurationError) {
                let access = try AccessFile.add(name, content, groups: group, to: file)
                shown["digest"] = .string(access.policy.digest)
            } catch {
                output.show(error)
                throw ExitStatus.configuration.exit
            }
            output.show(lines, shown)
            try Terminal.checkWritten()
        }

        /// The patterns of each right, in the order in which the rights are given.
        private func grants() throws -> [(right: String, patterns: [NamePattern])] {
            var grants: [(right: String, patterns: [NamePattern])] = []
            for word in grant {
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                let rights = AccessPolicy.Right.allCases.map(\.rawValue)
                guard parts.count == 2, rights.contains(parts[0]) else { throw Errors.noGrant(word, rights) }
                let pattern = try Words.pattern(parts[1])
                if let place = grants.firstIndex(where: { $0.right == parts[0] }) {
                    grants[place].patterns.append(pattern)
                } else {
                    grants.append((parts[0], [pattern]))
                }
            }
            return grants
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a principal from an access file and from its groups.",
            discussion: """
                The file keeps its comments. Afterwards, send SIGHUP to the worker, and to a process that serves HTTP. \
                Do not use the name for another principal until the worker has forgotten its requests.
                """
        )

        @Argument(help: "The access file.")
        var file: String

        @Argument(help: "The name of the principal.", transform: Words.name)
        var name: Name

        @OptionGroup var form: OutputOptions

        func run() throws {
            let output = Output(form.output, .one)
            var shown: JSONObject = ["file": .string(file), "principal": .string(name.text)]
            do throws(ConfigurationError) {
                shown["digest"] = .string(try AccessFile.remove(name, from: file).policy.digest)
            } catch {
                output.show(error)
                throw ExitStatus.configuration.exit
            }
            output.show("\(name) is removed from \(file); send SIGHUP to the processes that read it", shown)
            try Terminal.checkWritten()
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
