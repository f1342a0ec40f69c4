/// A pattern that matches names: `*` stands for one token, and a `>` at the end stands for one or more tokens.
///
/// `orders.*.paid` matches `orders.42.paid`; `orders.>` matches `orders.42` and `orders.42.paid` but not `orders`;
/// `>` matches every name.
public struct NamePattern: Hashable, Sendable {
    /// The pattern's text.
    public let text: String
    private let tokens: [Token]

    fileprivate enum Token: Hashable, Sendable {
        case literal(Substring)
        case any
        case rest
        /// A token with one or more `*`; each `*` stands for one or more characters.
        ///
        /// The array has the texts before, between and after the `*`.
        case around([Substring])
    }

    /// Makes a pattern from a text; each token is a name's token or `*`, and the last token may be `>`.
    ///
    /// - Throws: ``BusError`` with code `bad_pattern`; the message says which rule the text breaks.
    public init(_ text: String) throws(BusError) {
        var tokens: [Token] = []
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            switch part {
            case "*": tokens.append(.any)
            case ">":
                guard index == parts.count - 1 else { throw Errors.noPattern(text, "`>` may only be the last part") }
                tokens.append(.rest)
            default:
                guard !part.isEmpty, part.utf8.count <= Name.maximumTokenSizeInBytes,
                    part.utf8.allSatisfy(Name.isTokenByte)
                else { throw Errors.noPattern(text, "\(Printable.quoted(String(part))) is not a valid part") }
                tokens.append(.literal(part))
            }
        }
        guard text.utf8.count <= Name.maximumSizeInBytes else {
            throw Errors.longPattern(text)
        }
        self.text = text
        self.tokens = tokens
    }

    /// Makes a pattern from the bytes of a frame.
    ///
    /// - Throws: ``BusError`` with code `bad_pattern`; the message says which rule the text breaks.
    public init(bytes: ArraySlice<UInt8>) throws(BusError) { try self.init(String(decoding: bytes, as: UTF8.self)) }

    /// Makes a pattern from a name with open parts: each `*` in `text` matches one or more characters of one token.
    ///
    /// A pattern in which a `*` is only a part of a token is not valid in a message.
    ///
    /// - Throws: ``BusError`` with code `bad_name` if `text` with a letter in place of each `*` is not a name.
    package init(openParts text: String) throws(BusError) {
        _ = try Name(text.replacing("*", with: "x"))
        self.text = text
        tokens = text.split(separator: ".").map { token -> Token in
            if token == "*" { return .any }
            let parts = token.split(separator: "*", omittingEmptySubsequences: false)
            return parts.count == 1 ? .literal(token) : .around(parts)
        }
    }

    /// Whether the pattern matches `name`.
    public func matches(_ name: Name) -> Bool { covers(name.text) }

    /// Whether the pattern matches an event's subject.
    public func matches(_ subject: EventSubject) -> Bool { covers(subject.text) }

    /// Whether this pattern matches all names that `target` matches; `target` is a name or a pattern.
    package func covers(_ target: String) -> Bool {
        var others = NameTokens(target)
        for token in tokens {
            guard let other = others.next() else { return false }
            if token == .rest { return true }
            guard !other.isRest, token == .any || !other.isAny && token.matches(other) else { return false }
        }
        return others.next() == nil
    }

    /// Whether at least one name matches both this pattern and `target`, which is a name or a pattern.
    package func overlaps(_ target: String) -> Bool {
        var others = NameTokens(target)
        for token in tokens {
            guard let other = others.next() else { return false }
            if token == .rest || other.isRest { return true }
            guard other.isAny || token.matches(other) else { return false }
        }
        return others.next() == nil
    }

    /// The tokens before the first `*` or `>`, each followed by a dot; empty if there are none.
    var literalPrefix: String {
        var prefix = ""
        for token in tokens {
            guard case .literal(let text) = token else { break }
            prefix += text + "."
        }
        return prefix
    }
}

extension NamePattern.Token {
    /// Whether this token of a pattern matches `token` of a name.
    fileprivate func matches(_ token: Substring.UTF8View) -> Bool {
        switch self {
        case .any, .rest: true
        case .literal(let text): token.elementsEqual(text.utf8)
        case .around(let parts): Self.matches(token, parts)
        }
    }

    /// Whether `token` contains `parts` in their order, with at least one character between two parts.
    ///
    /// The token begins with the first part and ends with the last part. The first and the last part may be empty.
    private static func matches(_ token: Substring.UTF8View, _ parts: [Substring]) -> Bool {
        guard let first = parts.first, let last = parts.last, token.starts(with: first.utf8) else { return false }
        var rest = token.dropFirst(first.utf8.count)
        for part in parts.dropFirst().dropLast() {
            // The earliest occurrence leaves the most characters for the later parts.
            guard let end = rest.dropFirst().end(ofFirst: part.utf8) else { return false }
            rest = rest[end...]
        }
        return rest.count > last.utf8.count && rest.suffix(last.utf8.count).elementsEqual(last.utf8)
    }
}

/// The tokens of a name or pattern, between dots.
private struct NameTokens {
    private var rest: Substring.UTF8View?

    init(_ text: String) { rest = Substring(text).utf8 }

    mutating func next() -> Substring.UTF8View? {
        guard let text = rest else { return nil }
        guard let dot = text.firstIndex(of: UInt8(ascii: ".")) else {
            rest = nil
            return text
        }
        rest = text[text.index(after: dot)...]
        return text[..<dot]
    }
}

extension Substring.UTF8View {
    /// Whether the token is `*`, which matches any one token.
    fileprivate var isAny: Bool { count == 1 && first == UInt8(ascii: "*") }

    /// Whether the token is `>`, which matches one or more tokens.
    fileprivate var isRest: Bool { count == 1 && first == UInt8(ascii: ">") }

    /// The index after the first occurrence of `part`; nil if `part` does not occur.
    fileprivate func end(ofFirst part: Substring.UTF8View) -> Index? {
        var rest = self[...]
        while rest.count >= part.count {
            if rest.starts(with: part) { return rest.index(rest.startIndex, offsetBy: part.count) }
            rest = rest.dropFirst()
        }
        return nil
    }
}

extension NamePattern: CustomStringConvertible, ExpressibleByStringLiteral {
    /// The pattern's text.
    public var description: String { text }

    /// Makes a pattern from a literal; a malformed literal ends the process with a message.
    public init(stringLiteral text: String) {
        do { self = try NamePattern(text) } catch { fatalError(error.description) }
    }
}
