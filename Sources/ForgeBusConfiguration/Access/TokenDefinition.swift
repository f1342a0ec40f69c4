import ForgeBusProtocol
import Foundation

/// Reads the tokens of a principal in an access file, and records every problem.
struct TokenDefinition {
    let owner: Name

    private static let rights = Right.own.map(\.rawValue)

    /// Reads the list of tokens; `seen` has the hashes of all tokens of the file so far.
    func tokens(_ entry: Entry, _ seen: inout Set<String>) -> [AccessFile.Token] {
        var tokens: [AccessFile.Token] = []
        for element in entry.someElements("a list of tokens", isOptional: true) ?? [] {
            guard let fields = Fields(element, .token) else { continue }
            let hash = fields.required("hash").flatMap(Self.hash)
            let scope = fields["scope"].flatMap(Self.scope)
            let expiry = fields["expires"].flatMap(Self.expiry)
            guard let hash else { continue }
            guard seen.insert(hash).inserted else {
                element.note(Errors.tokenTwice)
                continue
            }
            tokens.append(AccessFile.Token(principal: owner, hash: hash, scope: scope, expiry: expiry))
        }
        return tokens
    }

    /// Reads a hash; the message about an invalid hash does not show the text, because the text could be a token.
    private static func hash(_ entry: Entry) -> String? {
        guard let text = entry.text("the hash of a token") else { return nil }
        guard !text.hasPrefix("fbt_") else {
            entry.note(Errors.tokenInsteadOfHash)
            return nil
        }
        let isHash =
            text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard isHash else {
            entry.note(Errors.notHash)
            return nil
        }
        return text
    }

    private static func scope(_ entry: Entry) -> Set<Right>? {
        guard let elements = entry.someElements("a list of rights") else { return nil }
        return Set(
            elements.compactMap { element -> Right? in
                guard let text = element.text("a right") else { return nil }
                if let right = Right.own.first(where: { $0.rawValue == text }) { return right }
                element.note(Errors.unknownRight(text, rights: rights, guess: Spelling.guess(text, among: rights)))
                return nil
            }
        )
    }

    /// Reads a date, which means the first second of that day in UTC, or a time such as `2027-01-31T12:00:00Z`.
    private static func expiry(_ entry: Entry) -> Date? {
        guard let text = entry.text("a date") else { return nil }
        if let date = AccessFile.day(text) { return date }
        if let date = try? Date(text, strategy: .iso8601) { return date }
        entry.note(Errors.notDate(text))
        return nil
    }
}
