import ArgumentParser
import ForgeBusProtocol
import ZeroMQ

/// The command `forgebus keygen`, with its arguments and options.
struct KeygenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keygen",
        abstract: "Makes a pair of keys for a worker or a client: NAME.key and NAME.key_secret.",
        discussion: """
            Example: forgebus keygen shop

            Share NAME.key: its public key goes into the access file, or to clients as --server-key. Keep \
            NAME.key_secret on the machine that uses it; only its owner may read it. The command overwrites nothing: \
            it exits 73 if either file exists.
            """
    )

    @Argument(
        help: "The path without a file extension: keys/shop writes keys/shop.key and keys/shop.key_secret."
    )
    var name: String

    @OptionGroup var form: OutputOptions

    func validate() throws {
        if name.hasSuffix(".key") || name.hasSuffix(".key_secret") || name.hasSuffix("/") || name.isEmpty {
            throw Errors.noKeyName
        }
    }

    func run() throws {
        let (keys, output) = (KeyPair(), Output(form.output, .one))
        let owner = name.split(separator: "/").last.map(String.init) ?? name
        do throws(ZeroMQError) {
            try Certificate(keys, metadata: ["name": owner]).write(to: name)
        } catch {
            let error =
                error.code == .invalidCertificate
                ? Errors.unwritableKeyName(owner) : BusError(.cannotCreate, error.message, next: error.next)
            output.show(error)
            throw ExitStatus(error.code).exit
        }
        let (handedOut, kept) = ("\(name).key", "\(name).key_secret")
        output.show(
            ["public key  \(keys.publicKey)", "to share    \(handedOut)", "to keep     \(kept)"],
            [
                "public_key": .string(keys.publicKey.description), "public_file": .string(handedOut),
                "secret_file": .string(kept),
            ]
        )
        try Terminal.checkWritten()
    }
}

extension ErrorCode {
    /// A file cannot be created; only this program uses this code.
    static let cannotCreate = ErrorCode(rawValue: "cannot_create")
}
