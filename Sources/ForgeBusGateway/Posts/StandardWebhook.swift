import Crypto
import Foundation

/// The signature of *Standard Webhooks* (https://www.standardwebhooks.com), version 1.
enum StandardWebhook {
    /// Makes the signature over the id, the time and the body.
    ///
    /// - Parameters:
    ///   - key: The bytes of the shared secret.
    ///   - id: The id of the delivery, the same for each attempt.
    ///   - seconds: The time of the attempt, in seconds since 1970, as text.
    ///   - body: The body, exactly as it is sent.
    /// - Returns: The signature in Base64.
    static func signature(key: [UInt8], id: String, seconds: String, body: [UInt8]) -> String {
        var code = HMAC<SHA256>(key: SymmetricKey(data: key))
        code.update(data: Data("\(id).\(seconds).".utf8))
        code.update(data: Data(body))
        return Data(code.finalize()).base64EncodedString()
    }

    /// How much older or newer than now a delivery may be.
    static let tolerance = Duration.seconds(300)
}
