import ArgumentParser
import ForgeBusProtocol
import ZeroMQ

/// `forgebus keygen`.
struct KeygenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keygen",
        abstract: "Makes a pair of keys for a worker or a client: NAME.key and NAME.key_secret.",
        discussion: """
            Share NAME.key: its public key goes into the access file, or to clients as --server-key. NAME.key_secret \
            stays where it is used, and only its owner may read it. Nothing is overwritten: if either file exists, it \
            exits 73.
            """
    )

    @Argument(help: "The path of both files, without an ending.")
    var name: String

    @OptionGroup var form: OutputOptions

    func validate() throws {
        if name.hasSuffix(".key") || name.hasSuffix(".key_secret") || name.hasSuffix("/") || name.isEmpty {
            throw ValidationError("Give the path without an ending: both files get one.")
        }
    }

    func run() throws {
        let (keys, output) = (KeyPair(), Output(form.output, .one))
        do throws(ZeroMQError) {
            let owner = name.split(separator: "/").last.map(String.init) ?? name
            try Certificate(keys, metadata: ["name": owner]).write(to: name)
        } catch {
            let error = BusError(.cannotCreate, error.message, next: error.next)
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
