public import ZeroMQ

/// Checks that detect a secret key given in place of a public one.
extension AccessPolicy {
    /// Reads a public key from its text.
    ///
    /// The highest bit of a public key is never set. It is set in half of all secret keys, and this method refuses
    /// those. ``secretHalves(among:)`` finds the remaining secret keys, if their public keys are in the set, too.
    ///
    /// - Parameter text: 40 characters of Z85.
    /// - Returns: The key. The method cannot check whether anybody holds the matching secret key.
    /// - Throws: ``WorkerError`` with code `definition`; the error does not show the text, which may be a secret.
    public static func key(_ text: String) throws(WorkerError) -> Key {
        guard let key = try? PublicKey(text) else {
            throw Errors.noKey(sizeInBytes: text.utf8.count)
        }
        guard key.bytes.last.map({ $0 & 0x80 == 0 }) == true else { throw Errors.noPublicKey }
        return key
    }

    /// Returns the members of `keys` that are secret keys, and whose public keys are members of `keys`, too.
    public static func secretHalves(among keys: Set<Key>) -> Set<Key> {
        keys.filter { key in
            guard let secret = try? SecretKey(key.description), let pair = try? KeyPair(secretKey: secret) else {
                return false
            }
            return keys.contains(pair.publicKey)
        }
    }

    /// The principal for which the policy lists the secret key of `pair` as a public key; nil if there is none.
    func principal(withSecretOf pair: KeyPair) -> Principal? {
        (try? PublicKey(pair.secretKey.text)).flatMap { principal(forKey: $0) }
    }
}

extension WorkerError {
    /// The error for a secret key that was given in place of a public key.
    public static let secretKey = WorkerError(
        .definition,
        "Expected a public key, found a secret one.",
        next: "This secret key is now exposed. Create a new key pair, and use the public key of the new pair."
    )
}
