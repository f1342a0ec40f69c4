@testable import ForgeBusConfiguration

/// Keys of the ZeroMQ manual's example: everybody knows their secrets.
enum ExampleKeys {
    static let client = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
    static let clientSecret = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"
    static let server = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
}

extension BadFile {
    /// A file with one principal, `p`, that holds a key and these lines.
    static func principal(_ code: ConfigurationError.Code, _ key: String, _ says: String, _ lines: String) -> BadFile {
        let head = "principals:\n  p:\n    keys: [\"\(ExampleKeys.client)\"]\n    "
        return BadFile(code, "principals.p.\(key)", says, head + lines + "\n")
    }

    static let access: [BadFile] = accessStructure + accessKeys + accessTokens + accessGrants

    private static let accessStructure: [BadFile] = [
        BadFile(.missingKey, nil, "The file is empty", "§"),
        BadFile(.notYAML, nil, "This is not YAML", "principals:\n  p: [a\nroles§: {}\n"),
        BadFile(.wrongType, nil, "the keys of an access file, found a list", "§- a\n"),
        BadFile(.missingKey, nil, "names at least one principal", "§roles: {r: {run: [a]}}\n"),
        BadFile(.wrongType, "principals", "found nothing", "principals:§\n"),
        BadFile(.badValue, "principals", "Expected at least one principal, found none", "principals: §{}\n"),
        BadFile(.duplicate, "p", "`p` occurs more than once", "principals:\n  §p: {keys: [a]}\n  p: {keys: [b]}\n"),
        BadFile(
            .badValue,
            "principals.local",
            "`local` is reserved for senders without a key",
            "principals: {§local: {keys: [\"\(ExampleKeys.client)\"]}}\n"
        ),
        BadFile(
            .badValue,
            "principals.a/b",
            "\"a/b\" is not a name",
            "principals: {§a/b: {keys: [\"\(ExampleKeys.client)\"]}}\n"
        ),
        .principal(.unknownKey, "runs", "\"runs\" is not a key of a principal", "§runs: [a]"),
        .principal(.unknownKey, "notfy", "Did you mean `notify`?", "§notfy: [a]"),
        .principal(.wrongType, "roles", "Expected a list of roles", "roles: §r"),
        .principal(.badValue, "roles[0]", "There is no role \"approver\"", "roles: [§approver]"),
        BadFile(
            .badValue,
            "principals.p.roles[0]",
            "Did you mean `approver`?",
            "roles: {approver: {run: [a]}}\nprincipals: {p: {keys: [\"\(ExampleKeys.client)\"], roles: [§aprover]}}\n"
        ),
        BadFile(
            .unknownKey,
            "roles.r.keys",
            "\"keys\" is not a key of a role",
            "roles: {r: {§keys: [a]}}\nprincipals: {p: {keys: [\"\(ExampleKeys.client)\"]}}\n"
        ),
    ]

    private static let hash = String(repeating: "0a", count: 32)

    private static let accessTokens: [BadFile] = [
        .principal(.wrongType, "tokens", "Expected a list of tokens", "tokens: §{}"),
        .principal(.missingKey, "tokens[0]", "The key `hash` is missing", "tokens: [§{}]"),
        .principal(
            .unknownKey,
            "tokens[0].scopes",
            "Did you mean `scope`?",
            "tokens: [{hash: \(hash), §scopes: [read]}]"
        ),
        .principal(.badValue, "tokens[0].hash", "found other text", "tokens: [{hash: §\(hash.uppercased())}]"),
        .principal(.badValue, "tokens[0].hash", "This is a token, and not", "tokens: [{hash: §fbt_\(hash)}]"),
        .principal(.duplicate, "tokens[1]", "in the file already", "tokens: [{hash: \(hash)}, §{hash: \(hash)}]"),
        .principal(
            .badValue,
            "tokens[0].scope[0]",
            "Did you mean `read`?",
            "tokens: [{hash: \(hash), scope: [§raed]}]"
        ),
        .principal(.badValue, "tokens[0].scope[0]", "not a right", "tokens: [{hash: \(hash), scope: [§act_as]}]"),
        .principal(.badValue, "tokens[0].scope", "found an empty list", "tokens: [{hash: \(hash), scope: §[]}]"),
        .principal(.badValue, "tokens[0].expires", "found \"soon\"", "tokens: [{hash: \(hash), expires: §soon}]"),
        .principal(.badValue, "tokens[0].expires", "2027-02-31", "tokens: [{hash: \(hash), expires: §2027-02-31}]"),
    ]

    private static let accessKeys: [BadFile] = [
        BadFile(.missingKey, "principals.p", "`keys` is missing", "principals:\n  p:\n    §run: [a]\n"),
        BadFile(
            .badValue,
            "principals",
            "names the principal \"rooot\", which the file does not have. Did you mean `root`?",
            "principals: §{gate: {keys: [], act_as: {allow: [\">\"], deny: [complete.rooot]}}, root: {keys: []}}\n"
        ),
        BadFile(
            .badValue,
            "principals.p",
            "must have no other right; found `read`",
            "principals: {p: §{keys: [], act_as: [\">\"], read: [\">\"]}}\n"
        ),
        BadFile(
            .badValue,
            "principals.p.act_as[0]",
            "does not begin with a right. Did you mean `complete.ada`?",
            "principals: {p: {keys: [], act_as: [§compelte.ada]}, ada: {keys: []}}\n"
        ),
        BadFile(.wrongType, "principals.p.keys", "a list of public keys", "principals: {p: {keys: §abc}}\n"),
        BadFile(.badValue, "principals.p.keys[0]", "found 3 bytes", "principals: {p: {keys: [§abc]}}\n"),
        BadFile(
            .badValue,
            "principals.p.keys[0]",
            "Z85; found 40 bytes",
            "principals: {p: {keys: [§\"\(String(repeating: "~", count: 40))\"]}}\n"
        ),
        BadFile(
            .duplicate,
            "principals.p.keys[1]",
            "This key is in the list already",
            "principals: {p: {keys: [\"\(ExampleKeys.client)\", §\"\(ExampleKeys.client)\"]}}\n"
        ),
        BadFile(
            .duplicate,
            "principals.q.keys[0]",
            "This key already belongs to the principal \"p\"",
            "principals:\n  p: {keys: [\"\(ExampleKeys.client)\"]}\n  q: {keys: [§\"\(ExampleKeys.client)\"]}\n"
        ),
        BadFile(
            .badValue,
            "principals.p.keys[0]",
            "found a secret one",
            "principals: {p: {keys: [§\"\(String(repeating: "%nSc0", count: 8))\"]}}\n"
        ),
        BadFile(
            .badValue,
            "principals.p.keys[1]",
            "found a secret one",
            "principals: {p: {keys: [\"\(ExampleKeys.client)\", §\"\(ExampleKeys.clientSecret)\"]}}\n"
        ),
    ]

    private static let accessGrants: [BadFile] = [
        .principal(.wrongType, "run", "a list of patterns, or a mapping with `allow` and `deny`", "run: §deploy"),
        .principal(.badValue, "run", "a list of patterns of pipelines, found an empty list", "run: §[]"),
        .principal(.badValue, "run[0]", "`>` may only be the last part", "run: [§\">.a\"]"),
        .principal(.wrongType, "run[0]", "Expected a pattern of pipelines, found a list", "run: [§[a]]"),
        .principal(.duplicate, "run[1]", "is in this list already", "run: [a, §a]"),
        .principal(.missingKey, "run", "Expected `allow` or `deny`", "run: §{}"),
        .principal(.unknownKey, "run.alow", "Did you mean `allow`?", "run: {§alow: [a]}"),
        .principal(.badValue, "run.deny[0]", "is not a pattern", "run: {allow: [a], deny: [§a..b]}"),
        .principal(.badValue, "read[0]", "Did you mean `run.>`?", "read: [§runs.>]"),
        .principal(.badValue, "read[0]", "Did you mean `signal.a`?", "read: [§signl.a]"),
        .principal(.badValue, "read[0]", "matches no item that can be read", "read: [§stock]"),
        .principal(.badValue, "read[0]", "matches no item that can be read", "read: [§run]"),
        .principal(.badValue, "read[0]", "matches no item that can be read", "read: [§output.>]"),
        .principal(.badValue, "read[0]", "matches no item that can be read", "read: [§worker.shop]"),
    ]
}
