import ForgeBusProtocol
import ZeroMQ

/// The keys of a client, and the endpoint that it connects to.
extension Errors {
    static func defaultEndpoint(_ error: ZeroMQError) -> ZeroMQError {
        ZeroMQError(
            error.code,
            error.message,
            next: "\(error.next) This is the default endpoint, in the directory that XDG_RUNTIME_DIR names: set that "
                + "variable to another directory for the worker and its clients, or name the worker's endpoint with "
                + "--endpoint or FORGEBUS_ENDPOINT."
        )
    }

    static func certificateWithoutSecret(_ path: String) -> BusError {
        BusError(
            .badCertificate,
            "\(path) is a certificate without its secret key.",
            next: "Use the file that ends in .key_secret for --certificate; `forgebus keygen` writes both files."
        )
    }

    /// A worker with keys in an inventory, and a command without keys of its own.
    static func noOwnKeys(for worker: Name) -> BusError {
        BusError(
            .badCertificate,
            "The worker \"\(worker)\" of the inventory has a key, and this command has no keys of its own.",
            next:
                "Name your file NAME.key_secret with --certificate or FORGEBUS_CERTIFICATE; `forgebus keygen` makes one, "
                + "and its public key goes into the access file of each worker."
        )
    }

    static let secretServerKey = BusError(
        .badCertificate,
        "--server-key (or FORGEBUS_SERVER_KEY), --allow and --key need a public key, but this is a secret key.",
        next: "Give the worker's public key. This secret key is now exposed: replace its key pair with a new one from "
            + "`forgebus keygen`."
    )

    static func badCertificate(_ error: ZeroMQError) -> BusError {
        // Only for a file with wrong permissions does the error of the socket library have advice for this user.
        let next =
            [.insecure, .permissionDenied].contains(error.code)
            ? error.next
            : "Name a file that `forgebus keygen` made: NAME.key_secret for your own keys, NAME.key for the worker's "
                + "public key. --server-key also takes the key itself, in quotes."
        return BusError(.badCertificate, error.message, next: next)
    }

    static func unwritableKeyName(_ name: String) -> BusError {
        BusError(
            .cannotCreate,
            "A certificate file cannot contain the name \(Printable.quoted(name)), because the name has a quotation mark "
                + "or a line break.",
            next: "Choose a name without them."
        )
    }
}
