import ForgeBusProtocol
import Testing

@Suite("A pattern of names")
struct NamePatternTests {
    @Test(
        "means these names",
        arguments: [
            ("orders", "orders"), ("orders.42", "orders.42"), ("*", "orders"), ("orders.*", "orders.42"),
            ("*.42", "orders.42"), ("*.*", "orders.42"), ("orders.*.paid", "orders.42.paid"), (">", "orders"),
            (">", "orders.42.paid"), ("orders.>", "orders.42"), ("orders.>", "orders.42.paid"),
            ("*.>", "orders.42"), ("orders.*.>", "orders.42.paid"),
        ] as [(NamePattern, Name)]
    )
    func means(pattern: NamePattern, name: Name) { #expect(pattern.matches(name)) }

    @Test(
        "does not mean these",
        arguments: [
            ("orders", "order"), ("orders", "orders.42"), ("orders.42", "orders"), ("order", "orders"),
            ("job.1", "job.10"), ("job.10", "job.1"), ("Orders", "orders"), ("*", "orders.42"), ("orders.*", "orders"),
            ("orders.*", "orders.42.paid"), ("*.*", "orders"), ("orders.>", "orders"), ("orders.>", "orders2.a"),
            ("*.>", "orders"), ("orders.*.>", "orders.42"),
        ] as [(NamePattern, Name)]
    )
    func doesNotMean(pattern: NamePattern, name: Name) { #expect(!pattern.matches(name)) }

    @Test(
        "is refused where it is none",
        arguments: [
            "", ".", "a.", ".a", "a..b", ">.a", "a.>.b", ">>", "a*", "**", "a.b>", "a b", "é", "a.\u{301}b",
            String(repeating: "a", count: 65), String(repeating: "a.", count: 128) + "a",
        ]
    )
    func isRefused(text: String) {
        #expect(#expect(throws: BusError.self) { try NamePattern(text) }?.code == .badPattern)
    }

    @Test("without a star means exactly the name it spells, and agrees with a plain reading of the rules")
    func agreesWithAPlainReading() throws {
        var random = SplitMix64(state: 11)
        let tokens = ["a", "b", "ab", "*", ">"]
        for _ in 0..<20_000 {
            let parts = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                tokens.randomElement(using: &random) ?? "a"
            }
            let name = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                tokens.prefix(3).randomElement(using: &random) ?? "a"
            }
            guard let pattern = try? NamePattern(parts.joined(separator: ".")) else {
                #expect(parts.dropLast().contains(">"))
                continue
            }
            let plain = Self.plainly(parts[...], match: name[...])
            #expect(pattern.matches(try Name(name.joined(separator: "."))) == plain, "\(parts) \(name)")
        }
    }

    private static func plainly(_ pattern: ArraySlice<String>, match name: ArraySlice<String>) -> Bool {
        guard let token = pattern.first else { return name.isEmpty }
        guard let first = name.first else { return false }
        return token == ">"
            || ((token == "*" || token == first) && plainly(pattern.dropFirst(), match: name.dropFirst()))
    }
}
