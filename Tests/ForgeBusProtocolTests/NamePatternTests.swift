import Testing

@testable import ForgeBusProtocol

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

    @Test("with open parts in its tokens means each name that fills them, and agrees with a plain reading")
    func openParts() throws {
        var random = SplitMix64(state: 12)
        var matches = 0
        for _ in 0..<20_000 {
            let pattern = Self.random("ab*.", 1...7, &random)
            let name = Self.random("ab.", 1...7, &random)
            guard let open = try? NamePattern(openParts: pattern), let name = try? Name(name) else { continue }
            let plain = Self.plainly(Array(pattern.utf8)[...], fill: Array(name.text.utf8)[...])
            if plain { matches += 1 }
            #expect(open.matches(name) == plain, "\(pattern) \(name)")
        }
        #expect(matches > 100)
        #expect(throws: BusError.self) { try NamePattern(openParts: "a..*") }
        #expect(try NamePattern(openParts: "a.b-*.c").literalPrefix == "a.")
    }

    private static func random(_ letters: String, _ sizes: ClosedRange<Int>, _ random: inout SplitMix64) -> String {
        let size = Int.random(in: sizes, using: &random)
        return String((0..<size).map { _ in letters.randomElement(using: &random) ?? "a" })
    }

    private static func plainly(_ pattern: ArraySlice<UInt8>, fill name: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        guard let byte = name.first else { return false }
        if first != UInt8(ascii: "*") { return first == byte && plainly(pattern.dropFirst(), fill: name.dropFirst()) }
        guard byte != UInt8(ascii: ".") else { return false }
        return plainly(pattern.dropFirst(), fill: name.dropFirst()) || plainly(pattern, fill: name.dropFirst())
    }

    private static func plainly(_ pattern: ArraySlice<String>, match name: ArraySlice<String>) -> Bool {
        guard let token = pattern.first else { return name.isEmpty }
        guard let first = name.first else { return false }
        return token == ">"
            || ((token == "*" || token == first) && plainly(pattern.dropFirst(), match: name.dropFirst()))
    }
}
