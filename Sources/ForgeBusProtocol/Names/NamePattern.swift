/// Which names are meant: a name in which `*` stands for one token and a last `>` for one token or more.
///
/// `orders.*.paid` matches `orders.42.paid`; `orders.>` matches `orders.42` and `orders.42.paid` but not `orders`;
/// `>` matches every name.
public struct NamePattern: Hashable, Sendable {
    /// The pattern as it is written.
    public let text: String
    private let tokens: [Token]

    private enum Token: Hashable, Sendable {
        case literal(Substring)
        case any
        case rest
    }

    /// Takes `text` if each token is a name's token, `*`, or a last `>`.
    ///
    /// - Throws: ``BusError`` with code `bad_pattern`, saying which rule is broken.
    public init(_ text: String) throws(BusError) {
        var tokens: [Token] = []
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            switch part {
            case "*": tokens.append(.any)
            case ">":
                guard index == parts.count - 1 else { throw Self.error(text, "`>` may only come last") }
                tokens.append(.rest)
            default:
                guard !part.isEmpty, part.utf8.count <= Name.maximumTokenSizeInBytes,
                    part.utf8.allSatisfy(Name.isTokenByte)
                else { throw Self.error(text, "\(Printable.quoted(String(part))) is no token") }
                tokens.append(.literal(part))
            }
        }
        guard text.utf8.count <= Name.maximumSizeInBytes else { throw Self.error(text, "it has more than 256 bytes") }
        self.text = text
        self.tokens = tokens
    }

    /// Takes the bytes of a frame if they are a pattern.
    ///
    /// - Throws: ``BusError`` with code `bad_pattern`, saying which rule is broken.
    public init(bytes: ArraySlice<UInt8>) throws(BusError) { try self.init(String(decoding: bytes, as: UTF8.self)) }

    /// Whether `name` is meant by this pattern.
    public func matches(_ name: Name) -> Bool { matches(name.text) }

    /// Whether the event on `subject` is meant by this pattern.
    public func matches(_ subject: EventSubject) -> Bool { matches(subject.text) }

    /// The tokens before the first `*` or `>`, joined and ended by dots; empty where there are none.
    var literalPrefix: String {
        var prefix = ""
        for case .literal(let token) in tokens.prefix(while: { $0 != .any && $0 != .rest }) { prefix += token + "." }
        return prefix
    }

    private func matches(_ text: String) -> Bool {
        var rest = text.utf8[...]
        var ended = false
        for token in tokens {
            guard !ended else { return false }
            if token == .rest { return !rest.isEmpty }
            let end = rest.firstIndex(of: UInt8(ascii: "."))
            if case .literal(let expected) = token, !rest[..<(end ?? rest.endIndex)].elementsEqual(expected.utf8) {
                return false
            }
            if let end { rest = rest[rest.index(after: end)...] } else { ended = true }
        }
        return ended
    }

    private static func error(_ text: String, _ flaw: String) -> BusError {
        BusError(
            .badPattern,
            "\(Printable.quoted(text)) is no pattern: \(flaw).",
            next: "Write tokens of A-Z a-z 0-9 _ - joined by dots; `*` for one token, a last `>` for the rest."
        )
    }
}

extension NamePattern: CustomStringConvertible, ExpressibleByStringLiteral {
    /// The pattern as it is written.
    public var description: String { text }

    /// A pattern written in the source; one that breaks the grammar ends the process with a sentence.
    public init(stringLiteral text: String) {
        do { self = try NamePattern(text) } catch { fatalError(error.description) }
    }
}
