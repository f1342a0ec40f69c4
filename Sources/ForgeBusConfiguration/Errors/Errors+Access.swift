import ForgeBusProtocol
import ForgeBusWorker

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

// The errors about the access file.

extension Errors {
    static var noPrincipals: ConfigurationError {
        ConfigurationError(.badValue, "Expected at least one principal, found none.", next: "Define one.")
    }

    static func unknownPrincipal(_ name: String, guess: String?) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "There is no principal \(Printable.quoted(name)).",
            guess: guess,
            next: "Write the name of a principal of this file."
        )
    }

    static func principalExists(_ name: Name) -> ConfigurationError {
        ConfigurationError(
            .duplicate,
            "There is a principal \(Printable.quoted(name.text)) already; nothing has changed.",
            next: "Choose another name, change its entry in the file, or remove it first with `forgebus access remove`."
        )
    }

    static func unchangeable(_ path: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The file \(Printable.quoted(path)) is valid, but its layout is another than the one of the page about the "
                + "access file, so it cannot be changed in place; nothing has changed.",
            next: "Change it in an editor."
        )
    }

    static func refusedChange(_ error: ConfigurationError) -> ConfigurationError {
        ConfigurationError(
            error.code,
            "With this change, a worker would refuse the file: \(error.message) Nothing has changed.",
            guess: error.guess,
            next: error.next
        )
    }

    static func misspeltGroup(_ group: Name, _ guess: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "There is no group \(Printable.quoted(group.text)); nothing has changed.",
            guess: guess,
            next: "Write the name of a group of this file; a new one needs a name that is less like another."
        )
    }

    static func lastPrincipal(_ name: Name) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "\(name) is the only principal of the file, which must have one; nothing has changed.",
            next: "Add another principal first."
        )
    }

    static func lastMember(_ name: Name, _ group: Name) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "\(name) is the only member of the group \(Printable.quoted(group.text)), and no group is empty; nothing has "
                + "changed.",
            next: "Add another member first, or remove the group in an editor; gates may name it."
        )
    }

    static func unwrittenAccess(_ path: String, _ code: Int32) -> ConfigurationError {
        ConfigurationError(
            .unreadable,
            "The file \(Printable.quoted(path)) cannot be written: \(String(cString: strerror(code))); nothing has changed.",
            next: "Check that you may write its directory, and that the disk has room."
        )
    }

    static func unknownRole(_ name: String, guess: String?) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "There is no role \(Printable.quoted(name)).",
            guess: guess,
            next: "Write the name of a role of this file, or define \(Printable.quoted(name)) under `roles`."
        )
    }

    static func reservedPrincipal(_ name: Name, for use: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "`\(name)` is reserved for \(use).",
            next: "Give the principal another name."
        )
    }

    static func rightBesideActing(_ right: AccessPolicy.Right, of principal: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The principal \"\(principal)\" has the right `act_as`, and so must have no other right; found "
                + "`\(right.rawValue)`.",
            next: "Give `\(right.rawValue)` only to the principals for which this principal acts."
        )
    }

    /// A pattern of `act_as` that names a principal which the file does not have.
    static func actingForNobody(_ principal: Name, as name: String, guess: String?) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "`act_as` of the principal \"\(principal)\" names the principal \"\(name)\", which the file does "
                + "not have.",
            guess: guess,
            next: "Name principals of this file, or write a wildcard."
        )
    }

    /// A public key that is in the file twice; `other` is the principal that has it already, nil for the same principal.
    static func keyListedTwice(by other: String?) -> ConfigurationError {
        ConfigurationError(
            .duplicate,
            other.map { "This key already belongs to the principal \"\($0)\"." }
                ?? "This key is in the list already.",
            next: "Remove it from one of the two places: a key may be in the file only once."
        )
    }
}

// MARK: Grants

extension Errors {
    static func noPatterns(for right: AccessPolicy.Right) -> ConfigurationError {
        ConfigurationError(
            .missingKey,
            "Expected `allow` or `deny`, found neither.",
            next: "Write one or both, each with a list of patterns; or remove `\(right.rawValue)`."
        )
    }

    /// A pattern of `act_as` that does not begin with a right.
    static func patternWithoutRight(_ pattern: NamePattern, rights: [String], guess: String?) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "\(Printable.quoted(pattern.text)) does not begin with a right.",
            guess: guess,
            next: "Write RIGHT.PRINCIPAL; the rights are \(rights.joined(separator: ", "))."
        )
    }

    /// A pattern of `act_as` that is only a right.
    static func patternWithoutPrincipal(_ pattern: NamePattern, right: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "\(Printable.quoted(pattern.text)) names no principal.",
            next: "Write \(right).NAME for one principal, or \(right).> for every principal."
        )
    }

    /// A pattern of `read` that can match no item; `next` is the next move.
    static func patternWithoutItems(_ pattern: NamePattern, guess: String? = nil, next: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "\(Printable.quoted(pattern.text)) matches no item that can be read.",
            guess: guess,
            next: next
        )
    }

    static func patternOfNamedWorker(_ pattern: NamePattern) -> ConfigurationError {
        patternWithoutItems(
            pattern,
            next: "Write `worker` alone, without a name after it: the access file is about one worker."
        )
    }

    static func patternOnlyOfWorker(_ pattern: NamePattern) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "\(Printable.quoted(pattern.text)) has only one part, so it matches no item but the worker.",
            next: "Write \">\" to match every item, or `worker` to match only the worker."
        )
    }
}

// MARK: Tokens

extension Errors {
    static var tokenTwice: ConfigurationError {
        ConfigurationError(
            .duplicate,
            "This token is in the file already.",
            next: "Remove one of the two entries with this hash."
        )
    }

    static var tokenInsteadOfHash: ConfigurationError {
        ConfigurationError(
            .badValue,
            "This is a token, and not the hash of one.",
            next: "Make a new token with `forgebus token`, and write the hash of the new token here: everybody who "
                + "has read this file knows the old token."
        )
    }

    static var notHash: ConfigurationError {
        ConfigurationError(
            .badValue,
            "Expected 64 hexadecimal digits in lower case, found other text.",
            next: "Copy the hash that `forgebus token` prints."
        )
    }

    static func unknownRight(_ text: String, rights: [String], guess: String?) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "\(Printable.quoted(text)) is not a right that a token can have.",
            guess: guess,
            next: "The rights are \(rights.joined(separator: ", "))."
        )
    }

    static func notDate(_ text: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "Expected a date such as 2027-01-31, found \(Printable.quoted(text)).",
            next: "Write a date, or a time in UTC such as 2027-01-31T12:00:00Z."
        )
    }
}
