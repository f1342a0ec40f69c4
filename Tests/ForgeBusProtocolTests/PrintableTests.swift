import Testing

@testable import ForgeBusProtocol

@Suite("Text in one line")
struct PrintableTests {
    static let escaped: [ClosedRange<UInt32>] = [
        0x0...0x1F, 0x7F...0x9F, 0x061C...0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
    ]

    @Test("has each character escaped that begins a line, steers a terminal or turns a direction, and no other")
    func each() {
        let escaped = Set(Self.escaped.joined())
        for scalar in escaped.compactMap(Unicode.Scalar.init) {
            let expected = scalar == "\n" ? "a\\nb" : "a\\u{\(String(scalar.value, radix: 16))}b"
            #expect(Printable.escaped("a" + String(scalar) + "b") == expected)
        }
        var others = String.UnicodeScalarView()
        for scalar in (0...0x10FFFF).lazy.compactMap(Unicode.Scalar.init)
        where !escaped.contains(scalar.value) { others.append(scalar) }
        // Compared by bytes: characters may be equivalent. The newline makes it look at each of them.
        #expect(Printable.escaped("\n" + String(others)).utf8.elementsEqual(("\\n" + String(others)).utf8))
    }

    @Test("is escaped also where several are one character, and stays as it is the next time")
    func several() {
        #expect(Printable.escaped("a\r\nb\n\u{301}") == "a\\u{d}\\nb\\n\u{301}")
        #expect(Printable.escaped("a\\nb") == "a\\nb")
    }
}
