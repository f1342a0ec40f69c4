/// A CURVE key with facts about its owner, in the file format of the ZeroMQ community.
///
/// It reads the files of czmq and pyzmq, and they read ours: a public one to share (`NAME.key`), and a second one that
/// also holds the secret (`NAME.key_secret`).
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
    /// The owner's public key.
    public let publicKey: PublicKey

    /// Both halves, if the certificate holds the secret one.
    public let keys: KeyPair?

    /// The owner's own facts, such as a name; they are not verified.
    public let metadata: [String: String]

    /// A certificate to share.
    ///
    /// - Parameters:
    ///   - publicKey: The owner's public key.
    ///   - metadata: Facts about the owner: words as names, one line each as values.
    public init(_ publicKey: PublicKey, metadata: [String: String] = [:]) {
        self.init(publicKey: publicKey, keys: nil, metadata: metadata)
    }

    /// A certificate to keep secret.
    ///
    /// - Parameters:
    ///   - keys: Both halves.
    ///   - metadata: Facts about the owner: words as names, one line each as values.
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
    ///   the wrong line.
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

    /// Writes the certificate to new files: `PATH.key` to share, and, if there is a secret, `PATH.key_secret` with mode
    /// 0600.
    ///
    /// - Parameter path: The files' path without an ending.
    /// - Throws: ``ZeroMQError``: `address_in_use` when one of them exists, because an overwritten secret is lost for
    ///   ever; `not_found`, `permission_denied` or `system` when it cannot be written; `invalid_certificate` for
    ///   metadata that the file format cannot hold.
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
            // Both or neither: a public key is useless without its secret.
            CertificateFile.remove("\(path).key")
            throw error
        }
    }
}
