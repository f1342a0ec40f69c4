#if HTTP
import ArgumentParser
import ForgeBusConfiguration
import ForgeBusGateway
import ForgeBusProtocol

/// The command `forgebus token`, with its arguments and options.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Makes a token with which a principal sends requests over HTTP.",
        discussion: """
            Example: forgebus token ada

            It prints the token once, and the lines for the access file, which has only the hash of the token. Give \
            the token to the user, write the lines into the file below the principal, and send SIGHUP to the process \
            that serves HTTP. To end a token, remove its lines, and send SIGHUP again.
            """
    )

    @Argument(help: "The principal of the access file to whom the token belongs.")
    var principal: String

    @Option(
        help: ArgumentHelp(
            """
            A right that the token may use, such as `read`; repeat the option for more. Without this option, the token \
            has all rights of its principal.
            """,
            valueName: "right"
        )
    )
    var scope: [String] = []

    @Option(
        help: ArgumentHelp(
            "The first day on which the token does not work any more, in UTC, such as 2027-01-31.",
            valueName: "date"
        )
    )
    var expires: String?

    @OptionGroup var form: OutputOptions

    func validate() throws {
        do throws(BusError) { _ = try Name(principal) } catch {
            throw ValidationError("\(error.message) \(error.next)")
        }
        if let expires, AccessFile.day(expires) == nil {
            throw Errors.noDay(expires)
        }
        let rights = Right.own.map(\.rawValue)
        if let unknown = scope.first(where: { !rights.contains($0) }) {
            throw Errors.unknownScope(unknown, rights)
        }
    }

    func run() throws {
        let (token, output) = (AccessToken.random(), Output(form.output, .one))
        let hash = AccessToken.hash(of: token)
        let parts = [
            "hash: \"\(hash)\"", scope.isEmpty ? nil : "scope: [\(scope.joined(separator: ", "))]",
            expires.map { "expires: \"\($0)\"" },
        ].compactMap { $0 }
        output.show(
            [
                "token for \(principal)  \(token)",
                Errors.whereTheTokenGoes(principal),
                "    tokens:", "      - {\(parts.joined(separator: ", "))}",
            ],
            ["principal": .string(principal), "token": .string(token), "hash": .string(hash)]
        )
        try Terminal.checkWritten()
    }
}
#endif
