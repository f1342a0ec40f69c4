import ForgeBusProtocol
import TestSupport
import Testing

@testable import ForgeBusWorker

@Suite("A secret in JSON")
struct SecretSpellingTests {
    private func mask(_ secrets: String...) throws -> SecretMask {
        let values = zip(0..., secrets).map { ("s\($0)", $1) }
        let seeds = values.map { Seed.required($0.0, .string, isSecret: true) }
        return try #require(SecretMask(seeds, Dictionary(uniqueKeysWithValues: values)))
    }

    @Test(
        "is found in each spelling",
        arguments: [
            ("pa&ss<word>42", #"pa\u0026ss\u003cword\u003e42"#), ("pa&ss<word>42", #"pa\u0026ss\u003Cword>42"#),
            ("grün", #"gr\u00fcn"#), ("grün", #"gr\u00FCn"#), ("grün", "grün"), ("a😀bc", #"a\ud83d\uDE00bc"#),
            ("a/b/c", #"a\/b/c"#), (#"a"b\c"#, #"a\"b\\c"#), (#"a"b\c"#, #"\u0061\u0022\u0062\u005c\u0063"#),
            ("line\nline\t", #"line\nline\t"#), ("line\nline\t", #"line\u000Aline\u0009"#), ("line\nline", "line line"),
            ("abc\\", #"abc\\"#), ("abc\\", #"abc\"#), (#"\nice"#, #"\\nice"#), (#"\nice"#, #"\nice"#),
            (#"a"b&c"#, #"a\\\"b\\u0026c"#), ("grün\n", #"gr\\\\u00fcn\\\\n"#),
        ]
    )
    func spellings(secret: String, spelt: String) throws {
        let mask = try mask(secret)
        for (head, tail) in [("", ""), (#"{"a":""#, #""}"#), (#"\n"#, #"\n"#), (#"C:\"#, " "), (#"\\"#, "/")] {
            let parts = mask.masked(head + spelt + tail).split(separator: "[secret]", omittingEmptySubsequences: false)
            try #require(parts.count == 2)
            // A backslash beside the secret can be taken for a part of it.
            #expect(head.hasPrefix(parts[0]) && tail.hasSuffix(parts[1]), "\(parts)")
        }
    }

    @Test("is found where the text was cut inside of it or of one of its escapes")
    func cut() throws {
        let mask = try mask("pa&ss<word>42")
        #expect(mask.masked(#"so pa\u0026s"#) == "so [secret]")
        #expect(mask.masked(#"so pa\u0026ss\u00"#) == "so [secret]")
        for rest in [#"\u0026ss\u003cword>42"#, #"026ss\u003cword>42"#, "6ss<word>42", #"\\u003cword\\u003e42"#] {
            #expect(mask.masked(rest + " is it") == "[secret] is it", "\(rest)")
        }
        #expect(mask.masked("beword>4 is it") == "beword>4 is it", "not a rest")
    }

    @Test("is found in pieces if it is long, and as a number")
    func pieces() throws {
        let long = (0..<400).map { "\($0)" }.joined(separator: "/")
        let mask = try mask(long, "482913")
        #expect(mask.masked("a \(long.replacing("/", with: "\\/")) b") == "a [secret] b")
        #expect(mask.masked("a x\(long.dropFirst(3).prefix(800)) b").contains("[secret]"))
        let numbers: JSONValue = ["pin": 482913, "year": 4829]
        #expect(mask.masked(numbers) == ["pin": "[secret]", "year": 4829])
    }

    @Test("is found in the rules of Go's encoder, and in any mix of escapes, with others beside it")
    func mixes() throws {
        var random = SeededGenerator(seed: 43)
        var seen: [String] = []
        let count = 2_000
        for _ in 0..<count {
            let secret = Self.secret(&random)
            let other = Self.secret(&random)
            let mask = try mask(secret, other)
            for spelt in [secret, Self.go(secret), Self.mix(secret, 1, &random), Self.mix(secret, 2, &random)] {
                let text = #"{"a":""# + spelt + #"","b":""# + Self.mix(other, 1, &random) + #""}"#
                if mask.masked(text) != #"{"a":"[secret]","b":"[secret]"}"# { seen.append(text) }
            }
        }
        #expect(seen.count == 0, "\(seen.count) of \(4 * count): \(seen.first ?? "")")
    }

    private static let alphabet = Array("ab01uUnrtDd\\/\"&<>'=+ é\u{7F}\u{2028}\u{2029}\n\t\u{8}ü中😀𝄞".unicodeScalars)

    private static func secret(_ random: inout SeededGenerator) -> String {
        let scalars = (0..<Int.random(in: 5...24, using: &random)).map { _ in
            alphabet.randomElement(using: &random) ?? "a"
        }
        // So that it can neither begin nor end inside of what is beside it.
        return "k" + String(String.UnicodeScalarView(scalars)) + "z"
    }

    private static func go(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\n": "\\n"
            case "\t": "\\t"
            case "\u{8}": "\\b"
            case "<", ">", "&", "\u{2028}", "\u{2029}": escape(UInt16(scalar.value))
            default: "\(scalar)"
            }
        }.joined()
    }

    /// The text with each unit as itself, as a short escape or as a number, as the generator decides; again `depth` times.
    private static func mix(_ text: String, _ depth: Int, _ random: inout SeededGenerator) -> String {
        guard depth > 0 else { return text }
        let shorts: [Unicode.Scalar: String] = ["\n": "n", "\t": "t", "\u{8}": "b", "/": "/", "\"": "\"", "\\": "\\"]
        let spelt = text.unicodeScalars.map { scalar in
            let isPlain = scalar.value >= 0x20 && scalar != "\"" && scalar != "\\"
            if isPlain, Bool.random(using: &random) { return "\(scalar)" }
            if let short = shorts[scalar], Bool.random(using: &random) { return "\\\(short)" }
            return String(scalar).utf16.map { unit in
                let escaped = escape(unit)
                return Bool.random(using: &random) ? escaped : "\\u" + escaped.dropFirst(2).uppercased()
            }.joined()
        }
        return mix(spelt.joined(), depth - 1, &random)
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
