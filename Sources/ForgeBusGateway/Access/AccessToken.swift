import Crypto
public import ForgeBusProtocol
public import Foundation

/// A secret that lets its bearer send requests over HTTP for one principal.
///
/// The gateway knows only the token's hash. A token has 256 random bits, so its hash needs no salt, and the time of
/// the look-up tells an attacker nothing about the token.
public struct AccessToken: Hashable, Sendable {
    /// The principal for which the bearer acts; nil if the worker does not distinguish its senders.
    public var principal: Name?
    /// The SHA-256 of the token's text, in 64 lower-case hexadecimal digits.
    public var hash: String
    /// The rights that the bearer may use; nil for all rights of the principal.
    public var scope: Set<Right>?
    /// When the token ends; nil if it does not end by itself.
    public var expiry: Date?

    /// Makes the record of a token.
    public init(principal: Name?, hash: String, scope: Set<Right>? = nil, expiry: Date? = nil) {
        self.principal = principal
        self.hash = hash
        self.scope = scope
        self.expiry = expiry
    }

    /// Makes the text of a new token: `fbt_` and 43 characters from `A-Z a-z 0-9 _ -`.
    ///
    /// The prefix lets programs that look for lost secrets recognise the text.
    public static func random() -> String { prefix + secret() }

    /// 256 random bits as 43 characters from `A-Z a-z 0-9 _ -`.
    static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The text with which every token begins.
    public static let prefix = "fbt_"

    /// The hash of a token's text, as ``hash`` has it.
    public static func hash(of text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}

/// The tokens that a gateway accepts.
struct TokenBook: Sendable {
    private let tokens: [String: AccessToken]

    init(_ tokens: [AccessToken]) { self.tokens = Dictionary(tokens.map { ($0.hash, $0) }) { first, _ in first } }

    /// Whether one token lets everybody in, because the worker does not distinguish its senders.
    var isCommon: Bool { tokens.values.contains { $0.principal == nil } }

    /// The sender that a token stands for; nil for an unknown or ended token.
    func sender(bearing text: String, at now: Date) -> Sender? { sender(hash: AccessToken.hash(of: text), at: now) }

    /// The sender that the token with this hash stands for; nil for an unknown or ended token.
    func sender(hash: String, at now: Date) -> Sender? {
        guard let token = tokens[hash] else { return nil }
        if let expiry = token.expiry, expiry <= now { return nil }
        return Sender(principal: token.principal, scope: token.scope)
    }
}
