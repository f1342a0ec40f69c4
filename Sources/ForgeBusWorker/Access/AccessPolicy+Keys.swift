public import ZeroMQ

/// Checks of keys, which notice a secret key in the place of a public one.
extension AccessPolicy {
    /// Reads a public key from its text.
    ///
    /// The highest bit of a public key is never set, that of half of all secret ones is: those are refused here.
    /// ``secretHalves(among:)`` finds the others where the public half is known.
    ///
    /// - Parameter text: 40 characters of Z85.
    /// - Returns: The key. Nothing tells whether anybody holds its secret.
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

    /// Those of `keys` that are the secret half of another one.
    public static func secretHalves(among keys: Set<Key>) -> Set<Key> {
        keys.filter { key in
            guard let secret = try? SecretKey(key.description), let pair = try? KeyPair(secretKey: secret) else {
                return false
            }
            return keys.contains(pair.publicKey)
        }
    }

    /// Whether the secret half of `pair` stands where a public key belongs.
    func lists(theSecretOf pair: KeyPair) -> Bool {
        (try? PublicKey(pair.secretKey.text)).map { principal(forKey: $0) != nil } ?? false
    }
}

extension WorkerError {
    /// A secret stands where a public key belongs.
    public static let secretKey = WorkerError(
        .definition,
        "Expected a public key, found a secret one.",
        next: "Make a new key pair, because this secret is exposed, and write its public key."
    )
}
