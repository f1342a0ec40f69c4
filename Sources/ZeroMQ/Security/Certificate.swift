/// A CURVE key with facts about its owner, in the file format of the ZeroMQ community.
///
/// The files are compatible with czmq and pyzmq. There are two: a public file to share (`NAME.key`), and a file that
/// also holds the secret key (`NAME.key_secret`).
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

    /// The public and the secret key; nil if the certificate has only the public key.
    public let keys: KeyPair?

    /// Facts about the owner, such as a name, as the owner wrote them; they are not verified.
    public let metadata: [String: String]

    /// Makes a certificate with a public key only, to share.
    ///
    /// - Parameters:
    ///   - publicKey: The owner's public key.
    ///   - metadata: Facts about the owner. Names consist of letters, digits and hyphens; values are one line without
    ///     double quotes.
    public init(_ publicKey: PublicKey, metadata: [String: String] = [:]) {
        self.init(publicKey: publicKey, keys: nil, metadata: metadata)
    }

    /// Makes a certificate with both keys, to keep secret.
    ///
    /// - Parameters:
    ///   - keys: The public and the secret key.
    ///   - metadata: Facts about the owner. Names consist of letters, digits and hyphens; values are one line without
    ///     double quotes.
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
    /// Only the owner of a file with a secret key may have access to the file (mode 0600 or 0400).
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: ``ZeroMQError``: `not_found`, `permission_denied` or `system` if the file cannot be read; `insecure`
    ///   if the file holds a secret key and other users have any access to the file; `invalid_certificate` if the
    ///   content is wrong.
    public init(contentsOf path: String) throws(ZeroMQError) {
        let file = try CertificateFile(reading: path)
        let certificate = try CertificateText.parse(file.text, path: path)
        if certificate.keys != nil, !file.isPrivate {
            throw Errors.secretOpenToOthers(path)
        }
        self = certificate
    }

    /// Reads a certificate from the text of a file, for a program that has opened the file itself.
    ///
    /// - Parameters:
    ///   - text: The text of the file.
    ///   - path: The path of the file, for errors.
    /// - Throws: ``ZeroMQError`` with code `invalid_certificate` if the text is wrong.
    package init(parsing text: String, from path: String) throws(ZeroMQError) {
        self = try CertificateText.parse(text, path: path)
    }

    /// Writes the certificate to new files.
    ///
    /// The file `PATH.key` is public. If the certificate has a secret key, the file `PATH.key_secret` holds both keys
    /// and has mode 0600.
    ///
    /// - Parameter path: The path of both files, without the extensions.
    /// - Throws: ``ZeroMQError``: `address_in_use` if one of the files exists, because an overwritten secret key would
    ///   be lost forever; `not_found`, `permission_denied` or `system` if a file cannot be written;
    ///   `invalid_certificate` for metadata that the file format cannot hold.
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
            // Without the file with the secret key, the public file is useless.
            CertificateFile.remove("\(path).key")
            throw error
        }
    }
}
