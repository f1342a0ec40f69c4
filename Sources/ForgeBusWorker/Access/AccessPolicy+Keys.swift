public import ZeroMQ

/// Checks that notice a secret key given as a public one.
extension AccessPolicy {
    /// Reads a public key from its text.
    ///
    /// A public key never has its highest bit set; half of all secret keys do, and this method refuses them.
    /// ``secretHalves(among:)`` finds the others if it knows the public half too.
    ///
    /// - Parameter text: 40 characters of Z85.
    /// - Returns: The key. The method cannot know whether anybody holds its secret.
    /// - Throws: ``WorkerError`` with code `definition`; it does not show the text, which may be a secret.
    public static func key(_ text: String) throws(WorkerError) -> Key {
        guard let key = try? PublicKey(text) else {
            throw WorkerError(
                .definition,
                "Expected a public key of 40 characters of Z85, found a text of \(text.utf8.count) that is not one.",
                next: "Write what `forgebus keygen` prints, or the `public-key` of a certificate, in quotes."
            )
        }
        guard key.bytes.last.map({ $0 & 0x80 == 0 }) == true else { throw .secretKey }
        return key
    }

    /// The members of `keys` that are the secret half of another member.
    public static func secretHalves(among keys: Set<Key>) -> Set<Key> {
        keys.filter { key in
            guard let secret = try? SecretKey(key.description), let pair = try? KeyPair(secretKey: secret) else {
                return false
            }
            return keys.contains(pair.publicKey)
        }
    }

    /// Whether the policy lists the secret half of `pair` as a public key.
    func lists(theSecretOf pair: KeyPair) -> Bool {
        (try? PublicKey(pair.secretKey.text)).map { principal(forKey: $0) != nil } ?? false
    }
}

extension WorkerError {
    /// A secret key was given as a public one.
    public static let secretKey = WorkerError(
        .definition,
        "Expected a public key, found a secret one.",
        next: "Make a new key pair, because this secret is exposed, and write its public key."
    )
}
