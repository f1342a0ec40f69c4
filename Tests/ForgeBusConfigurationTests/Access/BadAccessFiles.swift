@testable import ForgeBusConfiguration

/// Keys of the ZeroMQ manual's example: everybody knows their secrets.
enum ExampleKeys {
    static let client = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
    static let clientSecret = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"
    static let server = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
}

extension BadFile {
    /// A file with one principal, `p`, that holds a key and these lines.
    static func principal(
        _ code: ConfigurationError.Code,
        _ key: String,
        guess: String? = nil,
        naming: String? = nil,
        _ lines: String
    ) -> BadFile {
        let head = "principals:\n  p:\n    keys: [\"\(ExampleKeys.client)\"]\n    "
        return BadFile(code, "principals.p.\(key)", guess: guess, naming: naming, head + lines + "\n")
    }

    static let access: [BadFile] = accessStructure + accessKeys + accessTokens + accessGrants

    private static let accessStructure: [BadFile] = [
        BadFile(.missingKey, nil, "§"),
        BadFile(.notYAML, nil, "principals:\n  p: [a\nroles§: {}\n"),
        BadFile(.wrongType, nil, "§- a\n"),
        BadFile(.missingKey, nil, "§roles: {r: {run: [a]}}\n"),
        BadFile(.wrongType, "principals", "principals:§\n"),
        BadFile(.badValue, "principals", "principals: §{}\n"),
        BadFile(.duplicate, "p", naming: "p", "principals:\n  §p: {keys: [a]}\n  p: {keys: [b]}\n"),
        BadFile(
            .badValue,
            "principals.local",
            naming: "local",
            "principals: {§local: {keys: [\"\(ExampleKeys.client)\"]}}\n"
        ),
        BadFile(
            .badValue,
            "principals.a/b",
            naming: "a/b",
            "principals: {§a/b: {keys: [\"\(ExampleKeys.client)\"]}}\n"
        ),
        .principal(.unknownKey, "runs", guess: "run", "§runs: [a]"),
        .principal(.unknownKey, "notfy", guess: "notify", "§notfy: [a]"),
        .principal(.wrongType, "roles", "roles: §r"),
        .principal(.badValue, "roles[0]", naming: "approver", "roles: [§approver]"),
        BadFile(
            .badValue,
            "principals.p.roles[0]",
            guess: "approver",
            "roles: {approver: {run: [a]}}\nprincipals: {p: {keys: [\"\(ExampleKeys.client)\"], roles: [§aprover]}}\n"
        ),
        BadFile(
            .unknownKey,
            "roles.r.keys",
            naming: "keys",
            "roles: {r: {§keys: [a]}}\nprincipals: {p: {keys: [\"\(ExampleKeys.client)\"]}}\n"
        ),
    ]

    private static let hash = String(repeating: "0a", count: 32)

    private static let accessTokens: [BadFile] = [
        .principal(.wrongType, "tokens", "tokens: §{}"),
        .principal(.missingKey, "tokens[0]", naming: "hash", "tokens: [§{}]"),
        .principal(
            .unknownKey,
            "tokens[0].scopes",
            guess: "scope",
            "tokens: [{hash: \(hash), §scopes: [read]}]"
        ),
        .principal(.badValue, "tokens[0].hash", "tokens: [{hash: §\(hash.uppercased())}]"),
        .principal(.badValue, "tokens[0].hash", "tokens: [{hash: §fbt_\(hash)}]"),
        .principal(.duplicate, "tokens[1]", "tokens: [{hash: \(hash)}, §{hash: \(hash)}]"),
        .principal(
            .badValue,
            "tokens[0].scope[0]",
            guess: "read",
            "tokens: [{hash: \(hash), scope: [§raed]}]"
        ),
        .principal(.badValue, "tokens[0].scope[0]", "tokens: [{hash: \(hash), scope: [§act_as]}]"),
        .principal(.badValue, "tokens[0].scope", "tokens: [{hash: \(hash), scope: §[]}]"),
        .principal(.badValue, "tokens[0].expires", naming: "soon", "tokens: [{hash: \(hash), expires: §soon}]"),
        .principal(
            .badValue,
            "tokens[0].expires",
            naming: "2027-02-31",
            "tokens: [{hash: \(hash), expires: §2027-02-31}]"
        ),
    ]

    private static let accessKeys: [BadFile] = [
        BadFile(.missingKey, "principals.p", naming: "keys", "principals:\n  p:\n    §run: [a]\n"),
        BadFile(
            .badValue,
            "principals",
            guess: "root",
            "principals: §{gate: {keys: [], act_as: {allow: [\">\"], deny: [complete.rooot]}}, root: {keys: []}}\n"
        ),
        BadFile(
            .badValue,
            "principals.p",
            naming: "read",
            "principals: {p: §{keys: [], act_as: [\">\"], read: [\">\"]}}\n"
        ),
        BadFile(
            .badValue,
            "principals.p.act_as[0]",
            guess: "complete.ada",
            "principals: {p: {keys: [], act_as: [§compelte.ada]}, ada: {keys: []}}\n"
        ),
        BadFile(.wrongType, "principals.p.keys", "principals: {p: {keys: §abc}}\n"),
        BadFile(.badValue, "principals.p.keys[0]", naming: "3", "principals: {p: {keys: [§abc]}}\n"),
        BadFile(
            .badValue,
            "principals.p.keys[0]",
            naming: "Z85",
            "principals: {p: {keys: [§\"\(String(repeating: "~", count: 40))\"]}}\n"
        ),
        BadFile(
            .duplicate,
            "principals.p.keys[1]",
            "principals: {p: {keys: [\"\(ExampleKeys.client)\", §\"\(ExampleKeys.client)\"]}}\n"
        ),
        BadFile(
            .duplicate,
            "principals.q.keys[0]",
            naming: "p",
            "principals:\n  p: {keys: [\"\(ExampleKeys.client)\"]}\n  q: {keys: [§\"\(ExampleKeys.client)\"]}\n"
        ),
        BadFile(
            .badValue,
            "principals.p.keys[0]",
            "principals: {p: {keys: [§\"\(String(repeating: "%nSc0", count: 8))\"]}}\n"
        ),
        BadFile(
            .badValue,
            "principals.p.keys[1]",
            "principals: {p: {keys: [\"\(ExampleKeys.client)\", §\"\(ExampleKeys.clientSecret)\"]}}\n"
        ),
    ]

    private static let accessGrants: [BadFile] = [
        .principal(.wrongType, "run", "run: §deploy"),
        .principal(.badValue, "run", "run: §[]"),
        .principal(.badValue, "run[0]", naming: ">", "run: [§\">.a\"]"),
        .principal(.wrongType, "run[0]", "run: [§[a]]"),
        .principal(.duplicate, "run[1]", "run: [a, §a]"),
        .principal(.missingKey, "run", naming: "allow", "run: §{}"),
        .principal(.unknownKey, "run.alow", guess: "allow", "run: {§alow: [a]}"),
        .principal(.badValue, "run.deny[0]", "run: {allow: [a], deny: [§a..b]}"),
        .principal(.badValue, "read[0]", guess: "run.>", "read: [§runs.>]"),
        .principal(.badValue, "read[0]", guess: "signal.a", "read: [§signl.a]"),
        .principal(.badValue, "read[0]", "read: [§stock]"),
        .principal(.badValue, "read[0]", "read: [§run]"),
        .principal(.badValue, "read[0]", "read: [§output.>]"),
        .principal(.badValue, "read[0]", "read: [§worker.shop]"),
    ]
}
