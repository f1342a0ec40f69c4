// The errors about keys, certificates and who may connect.

extension Errors {
    /// The error for a malformed key; it shows only the length of the text, because the text may be a secret key.
    static func invalidKey(_ what: String, text: String) -> ZeroMQError {
        ZeroMQError(
            .invalidKey,
            "\(what) has 40 characters of Z85; the given text of \(text.utf8.count) bytes does not have this form.",
            next: "Pass all 40 characters, without quotes, spaces or line ends. To make new keys, use `KeyPair`."
        )
    }

    static func invalidKey(_ what: String, bytes: Int) -> ZeroMQError {
        ZeroMQError(
            .invalidKey,
            "\(what) has 32 bytes, not \(bytes).",
            next: "Pass the 32 bytes. If you have the key as a text of 40 characters, pass it as a `String`, without "
                + "the label `bytes`."
        )
    }

    static func metadata(_ name: String, _ value: String) -> ZeroMQError {
        ZeroMQError(
            .invalidCertificate,
            "A certificate file cannot hold the metadata \(name.debugDescription) = \(value.debugDescription).",
            next: "Before the =, use letters, digits and hyphens; after it, use one line without \"."
        )
    }

    static func certificateTooLarge(_ path: String, limit: Int) -> ZeroMQError {
        ZeroMQError(
            .system,
            "\(path) is not a certificate file: it has more than \(limit) bytes.",
            next: "Name a certificate file: NAME.key has the public key, and NAME.key_secret has both keys."
        )
    }

    static func keyRefused(option name: String) -> ZeroMQError {
        ZeroMQError(
            .invalidOption,
            "libzmq refused the key for the socket option \(name).",
            next: "Check that libzmq was built with CURVE."
        )
    }

    static var publicKeyNotComputed: ZeroMQError {
        ZeroMQError(
            .invalidKey,
            "libzmq could not compute the public key of the given secret key.",
            next: "Check that libzmq was built with CURVE; if it was, make a new key pair."
        )
    }

    static var secondAuthenticator: ZeroMQError {
        ZeroMQError(
            .addressInUse,
            "This reactor already has an authenticator, and can have only one.",
            next: "Use the existing authenticator for the new connections, too, for instance by adding their keys "
                + "to its `AllowedKeys`; or use another reactor."
        )
    }

    static func strangerAccepted(at endpoint: Endpoint) -> ZeroMQError {
        ZeroMQError(
            .insecure,
            "\(endpoint) accepted an unknown key.",
            next: "Stop serving on this endpoint, and correct the rule that decides which keys may connect."
        )
    }

    static func strangerUnanswered(at endpoint: Endpoint, within time: Duration) -> ZeroMQError {
        ZeroMQError(
            .deadline,
            "A test connection to \(endpoint), with an unknown key, was neither accepted nor refused within \(time).",
            next:
                "Check that no firewall blocks this endpoint, and that no other program listens there. Then start this "
                + "program again."
        )
    }

    static func secretOpenToOthers(_ path: String) -> ZeroMQError {
        ZeroMQError(
            .insecure,
            "\(path) holds a secret key, and users other than its owner have access to the file.",
            next: "If one of them may have read the key, make a new key pair; otherwise run `chmod 600 \(path)`."
        )
    }

    static func foreignAuthenticator(for endpoint: Endpoint) -> ZeroMQError {
        ZeroMQError(
            .insecure,
            "The authenticator for \(endpoint) belongs to another reactor, and decides only about that reactor's "
                + "connections.",
            next: "Make an authenticator with this reactor's `authenticate`."
        )
    }
}

// MARK: Certificates

extension Errors {
    static func certificateLine(_ path: String, _ number: Int) -> ZeroMQError {
        notCertificate(path, "line \(number) is neither a section nor `name = value`")
    }

    static func noPublicKey(in path: String) -> ZeroMQError {
        notCertificate(path, "it has no `public-key` under `curve`")
    }

    /// A certificate whose key `name` is not a key.
    static func certificateKey(_ path: String, _ name: String) -> ZeroMQError {
        notCertificate(path, "its `\(name)` is not a key of 40 characters", isDamaged: true)
    }

    static func otherSecretKey(in path: String) -> ZeroMQError {
        notCertificate(path, "its public key and its secret key do not belong together", isDamaged: true)
    }

    private static let damagedFile =
        "Restore the file from a backup. If there is no backup, make a new key pair, and replace the old public key in all "
        + "programs that know it."
    private static let otherFile =
        "Name a certificate file: NAME.key has the public key, and NAME.key_secret has both keys. "
        + "`Certificate.write(to:)`, czmq and pyzmq write such files."

    /// A file that is not a certificate; `isDamaged` says that it was one.
    private static func notCertificate(_ path: String, _ fault: String, isDamaged: Bool = false) -> ZeroMQError {
        ZeroMQError(
            .invalidCertificate,
            "\(path) is not a certificate: \(fault).",
            next: isDamaged ? damagedFile : otherFile
        )
    }
}
