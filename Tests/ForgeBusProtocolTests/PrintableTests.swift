import Testing

@testable import ForgeBusProtocol

@Suite("Text in one line")
struct PrintableTests {
    static let escaped: [ClosedRange<UInt32>] = [
        0x0...0x1F, 0x7F...0x9F, 0x061C...0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
    ]

    @Test("has each character escaped that begins a line, steers a terminal or turns a direction, and no other")
    func each() {
        for scalar in (0...0x10FFFF).lazy.compactMap(Unicode.Scalar.init) {
            let text = "a" + String(scalar) + "b"
            let isEscaped = Self.escaped.contains { $0.contains(scalar.value) }
            let expected = scalar == "\n" ? "a\\nb" : "a\\u{\(String(scalar.value, radix: 16))}b"
            // Compared by bytes: characters may be equivalent.
            #expect(Printable.escaped(text).utf8.elementsEqual((isEscaped ? expected : text).utf8))
        }
    }

    @Test("is escaped also where several are one character, and stays as it is the next time")
    func several() {
        #expect(Printable.escaped("a\r\nb\n\u{301}") == "a\\u{d}\\nb\\n\u{301}")
        #expect(Printable.escaped("a\\nb") == "a\\nb")
    }
}
