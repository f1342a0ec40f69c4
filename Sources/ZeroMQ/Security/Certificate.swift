/// A CURVE key with what is known about its owner, as the ZeroMQ community keeps it in files.
///
/// The files of czmq and pyzmq are read, and they read ours: a public one to hand out (`NAME.key`), and beside it one
/// that also holds the secret (`NAME.key_secret`).
///
/// ```swift
/// import ZeroMQ
///
/// func identity(in directory: String) throws -> KeyPair {
///     let path = "\(directory)/worker.key_secret"
///     if let certificate = try? Certificate(contentsOf: path), let keys = certificate.keys { return keys }
///     let keys = KeyPair()
///     try Certificate(keys, metadata: ["name": "worker"]).write(to: "\(directory)/worker")
///     return keys
/// }
/// ```
public struct Certificate: Hashable, Sendable {
    /// Who it is.
    public let publicKey: PublicKey

    /// Both halves, when the certificate holds the secret one.
    public let keys: KeyPair?

    /// What its owner says of itself, such as a name; nobody has checked it.
    public let metadata: [String: String]

    /// A certificate to hand out.
    ///
    /// - Parameters:
    ///   - publicKey: Who it is.
    ///   - metadata: What is said of the owner: words as names, one line each as values.
    public init(_ publicKey: PublicKey, metadata: [String: String] = [:]) {
        self.init(publicKey: publicKey, keys: nil, metadata: metadata)
    }

    /// A certificate to keep.
    ///
    /// - Parameters:
    ///   - keys: Both halves.
    ///   - metadata: What is said of the owner: words as names, one line each as values.
    public init(_ keys: KeyPair, metadata: [String: String] = [:]) {
        self.init(publicKey: keys.publicKey, keys: keys, metadata: metadata)
    }

    init(publicKey: PublicKey, keys: KeyPair?, metadata: [String: String]) {
        self.publicKey = publicKey
        self.keys = keys
        self.metadata = metadata
    }
}

// MARK: - Files

extension Certificate {
    /// Reads a certificate from a file.
    ///
    /// A file that holds a secret must be readable by its owner alone (mode 0600 or 0400).
    ///
    /// - Parameter path: The file.
    /// - Throws: ``ZeroMQError``: `not_found`, `insecure` for a secret that others may read, `invalid_certificate` with
    ///   the line that is wrong.
    public init(contentsOf path: String) throws(ZeroMQError) {
        let file = try CertificateFile(reading: path)
        let certificate = try CertificateText.parse(file.text, path: path)
        if certificate.keys != nil, !file.isPrivate {
            throw ZeroMQError(
                .insecure,
                "\(path) holds a secret key, and others than its owner may read it.",
                next: "Make a new pair if somebody may have; otherwise `chmod 600 \(path)`."
            )
        }
        self = certificate
    }

    /// Writes the certificate to files that do not exist yet: `PATH.key` to hand out, and `PATH.key_secret` with mode
    /// 0600 if there is a secret.
    ///
    /// - Parameter path: The files' path without an ending.
    /// - Throws: ``ZeroMQError``: `address_in_use` when one of them exists, as nobody gets a lost secret back;
    ///   `not_found`, `permission_denied` or `system` when it cannot be written; `invalid_certificate` for metadata
    ///   that has no place in a file.
    public func write(to path: String) throws(ZeroMQError) {
        try CertificateFile.create("\(path).key", try CertificateText.write(self, withSecret: false), mode: 0o644)
        guard keys != nil else { return }
        do {
            try CertificateFile.create(
                "\(path).key_secret",
                try CertificateText.write(self, withSecret: true),
                mode: 0o600
            )
        } catch {
            // Both or none: a public key that nobody can prove to hold is of no use.
            CertificateFile.remove("\(path).key")
            throw error
        }
    }
}
