import ForgeBusProtocol
import ForgeBusWorker

// The access file.
extension Shape {
    static let accessFile = Shape(
        "an access file",
        [
            Key("roles", .named(.mapping(.role)), "a mapping of names to roles: grants under a name; optional"),
            Key(
                "principals",
                .named(.mapping(.principal)),
                need: "an access file names at least one principal",
                "a mapping of names to principals"
            ),
            Key(
                "groups",
                .named(.list(.text("the name of a principal"))),
                "a mapping of names to lists of principals; optional"
            ),
        ]
    )

    private static let grants = Right.allCases.map { right in
        Key(
            right.rawValue,
            .either([.list(.text("a pattern \(right.targets)")), .mapping(.grant)]),
            "the patterns \(right.targets) for which the right is granted"
        )
    }

    static let role = Shape("a role", grants)

    static let principal = Shape(
        "a principal",
        [
            Key(
                "keys",
                .list(.text("a public key"), isEmpty: true),
                need: "it lists the principal's public keys, or is [] if only a gateway sends for the principal",
                "the principal's public keys, in quotation marks"
            ),
            Key("roles", .list(.text("the name of a role")), "the roles whose grants the principal has"),
            Key("tokens", .list(.mapping(.token)), "the tokens with which people and programs sign in over HTTP"),
        ] + grants
    )

    static let grant = Shape(
        "a grant",
        [
            Key("allow", .list(.text("a pattern")), "the patterns for which the right is granted"),
            Key("deny", .list(.text("a pattern")), "the patterns for which it is not granted in any case"),
        ]
    )

    static let token = Shape(
        "a token",
        [
            Key(
                "hash",
                .text("the hash of a token"),
                need: "a token has the hash that `forgebus token` prints",
                "the hash that `forgebus token` prints"
            ),
            Key("scope", .list(.text("a right")), "the rights that the token has; without it, those of its principal"),
            Key("expires", .text("a date"), "when the token expires"),
        ]
    )
}
