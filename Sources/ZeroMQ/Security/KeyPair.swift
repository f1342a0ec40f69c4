import CZeroMQ

/// A CURVE key pair: the public key identifies its owner, and the secret key proves the owner's identity.
///
/// ```swift
/// import ZeroMQ
///
/// let server = KeyPair()
/// let client = KeyPair()
/// ```
public struct KeyPair: Hashable, Sendable {
    /// The key to share.
    public let publicKey: PublicKey

    /// The key to keep secret.
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
            fatalError("This libzmq was built without CURVE; install one with libsodium, such as Debian's libzmq3-dev.")
        }
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    /// Makes a pair from a secret key, and computes the public key.
    ///
    /// - Parameter secretKey: The secret key.
    /// - Throws: ``ZeroMQError`` with code `invalid_key` if no public key can be computed.
    public init(secretKey: SecretKey) throws(ZeroMQError) {
        var text = [CChar](repeating: 0, count: KeyText.size)
        guard zmq_curve_public(&text, secretKey.text) == 0 else {
            throw Errors.publicKeyNotComputed
        }
        self.publicKey = try PublicKey(KeyText.text(text[...]))
        self.secretKey = secretKey
    }
}

/// The secret key of a ``KeyPair``; printing this value does not show the key.
///
/// Only ``text`` reveals the key.
public struct SecretKey: Hashable, Sendable {
    /// The key as 40 characters of Z85; write this text only to a file that only the owner can read.
    public let text: String

    /// Reads a key from its text.
    ///
    /// - Parameter text: 40 characters of Z85.
    /// - Throws: ``ZeroMQError`` with code `invalid_key` for any other text; the error does not show the text.
    public init(_ text: String) throws(ZeroMQError) {
        guard let bytes = Z85.decode(text.utf8), bytes.count == PublicKey.sizeInBytes else {
            throw Errors.invalidKey("A secret key", text: text)
        }
        self.text = text
    }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text without the key, because the key must not reach a log.
    public var description: String { "SecretKey(redacted)" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` does not show the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The buffers in which libzmq returns keys: 40 characters and a zero byte.
private enum KeyText {
    static let size = 41

    static func text(_ characters: ArraySlice<CChar>) -> String {
        String(decoding: characters.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
