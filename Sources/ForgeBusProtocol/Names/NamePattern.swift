/// Which names are meant: a name in which `*` stands for one token and a last `>` for one token or more.
///
/// `orders.*.paid` matches `orders.42.paid`; `orders.>` matches `orders.42` and `orders.42.paid` but not `orders`;
/// `>` matches every name.
public struct NamePattern: Hashable, Sendable {
    /// The pattern as it is written.
    public let text: String
    private let tokens: [Token]

    fileprivate enum Token: Hashable, Sendable {
        case literal(Substring)
        case any
        case rest
        /// A token of which parts are open, each a character or more; what stands before, between and behind them.
        case around([Substring])
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

    /// A name of which parts are open: each `*` of `text` stands for one character of its token or more.
    ///
    /// With `*` in only a part of a token it is no pattern that a message could carry.
    ///
    /// - Throws: ``BusError`` with code `bad_name` if `text` is no name with its open parts filled.
    package init(openParts text: String) throws(BusError) {
        _ = try Name(text.replacing("*", with: "x"))
        self.text = text
        tokens = text.split(separator: ".").map { token -> Token in
            if token == "*" { return .any }
            let parts = token.split(separator: "*", omittingEmptySubsequences: false)
            return parts.count == 1 ? .literal(token) : .around(parts)
        }
    }

    /// Whether `name` is meant by this pattern.
    public func matches(_ name: Name) -> Bool { covers(name.text) }

    /// Whether the event on `subject` is meant by this pattern.
    public func matches(_ subject: EventSubject) -> Bool { covers(subject.text) }

    /// Whether this pattern means every name that a name or pattern means, given as text.
    package func covers(_ target: String) -> Bool {
        var others = NameTokens(target)
        for token in tokens {
            guard let other = others.next() else { return false }
            if token == .rest { return true }
            guard !other.isRest, token == .any || !other.isAny && token.matches(other) else { return false }
        }
        return others.next() == nil
    }

    /// Whether this pattern and another, or a name, both mean some name.
    package func overlaps(_ target: String) -> Bool {
        var others = NameTokens(target)
        for token in tokens {
            guard let other = others.next() else { return false }
            if token == .rest || other.isRest { return true }
            guard other.isAny || token.matches(other) else { return false }
        }
        return others.next() == nil
    }

    /// The tokens before the first `*` or `>`, joined and ended by dots; empty where there are none.
    var literalPrefix: String {
        var prefix = ""
        for token in tokens {
            guard case .literal(let text) = token else { break }
            prefix += text + "."
        }
        return prefix
    }

    private static func error(_ text: String, _ flaw: String) -> BusError {
        BusError(
            .badPattern,
            "\(Printable.quoted(text)) is no pattern: \(flaw).",
            next: "Write tokens of A-Z a-z 0-9 _ - joined by dots; `*` for one token, a last `>` for the rest."
        )
    }
}

extension NamePattern.Token {
    /// Whether this one token of a name is meant.
    fileprivate func matches(_ token: Substring.UTF8View) -> Bool {
        switch self {
        case .any, .rest: true
        case .literal(let text): token.elementsEqual(text.utf8)
        case .around(let parts): Self.matches(token, parts)
        }
    }

    /// Whether `parts` stand in `token` in their order, the first and the last at its ends, and something between them.
    private static func matches(_ token: Substring.UTF8View, _ parts: [Substring]) -> Bool {
        guard let first = parts.first, let last = parts.last, token.starts(with: first.utf8) else { return false }
        var rest = token.dropFirst(first.utf8.count)
        for part in parts.dropFirst().dropLast() {
            // The earliest place leaves most to those behind it.
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
    /// Whether it stands for any one token.
    fileprivate var isAny: Bool { count == 1 && first == UInt8(ascii: "*") }

    /// Whether it stands for one token or more.
    fileprivate var isRest: Bool { count == 1 && first == UInt8(ascii: ">") }

    /// Where the first `part` in it ends; nil if there is none.
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
    /// The pattern as it is written.
    public var description: String { text }

    /// A pattern written in the source; one that breaks the grammar ends the process with a sentence.
    public init(stringLiteral text: String) {
        do { self = try NamePattern(text) } catch { fatalError(error.description) }
    }
}
