import CZeroMQ

/// A CURVE key pair: the public key identifies its owner, the secret key proves it.
///
/// ```swift
/// import ZeroMQ
///
/// let server = KeyPair()
/// let client = KeyPair()
/// ```
public struct KeyPair: Hashable, Sendable {
    /// The half to share.
    public let publicKey: PublicKey

    /// The half to keep secret.
    public let secretKey: SecretKey

    /// Makes a new pair from the operating system's random numbers.
    public init() {
        // libzmq writes 40 characters and a zero.
        var texts = [CChar](repeating: 0, count: 2 * KeyText.size)
        let result = texts.withUnsafeMutableBufferPointer { texts in
            zmq_curve_keypair(texts.baseAddress, texts.baseAddress.map { $0 + KeyText.size })
        }
        guard result == 0,
            let publicKey = try? PublicKey(KeyText.text(texts[..<KeyText.size])),
            let secretKey = try? SecretKey(KeyText.text(texts[KeyText.size...]))
        else {
            fatalError("This libzmq was built without CURVE; install one with libsodium, as Debian's libzmq3-dev is.")
        }
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    /// Completes a pair from its secret half.
    ///
    /// - Parameter secretKey: The secret key.
    /// - Throws: ``ZeroMQError`` with code `invalid_key` when it has no public key.
    public init(secretKey: SecretKey) throws(ZeroMQError) {
        var text = [CChar](repeating: 0, count: KeyText.size)
        guard zmq_curve_public(&text, secretKey.text) == 0 else {
            throw ZeroMQError(.invalidKey, "No public key belongs to the secret key.", next: "Make a new pair.")
        }
        self.publicKey = try PublicKey(KeyText.text(text[...]))
        self.secretKey = secretKey
    }
}

/// The secret half of a ``KeyPair``; printing does not show it.
///
/// Only ``text`` reveals it.
public struct SecretKey: Hashable, Sendable {
    /// The key's text: 40 characters of Z85; write it only to a file that nobody but its owner can read.
    public let text: String

    /// Reads a key from its text.
    ///
    /// - Parameter text: 40 characters of Z85.
    /// - Throws: ``ZeroMQError`` with code `invalid_key` when it is anything else; the error does not show the text.
    public init(_ text: String) throws(ZeroMQError) {
        guard let bytes = Z85.decode(text.utf8), bytes.count == PublicKey.sizeInBytes else {
            throw .invalidKey("A secret key", text: text)
        }
        self.text = text
    }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same text, because the key must not reach a log.
    public var description: String { "SecretKey(redacted)" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Shows nothing of the key to `dump` either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The buffers in which libzmq returns keys: 40 characters and a zero.
private enum KeyText {
    static let size = 41

    static func text(_ characters: ArraySlice<CChar>) -> String {
        String(decoding: characters.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
