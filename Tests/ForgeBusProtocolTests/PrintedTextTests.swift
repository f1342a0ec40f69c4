import Testing

@testable import ForgeBusProtocol

@Suite("What was printed")
struct PrintedTextTests {
    @Test("is kept from its end, without the rest of a character that was cut")
    func end() {
        let most = PrintedText.maximumSizeInBytes
        #expect(PrintedText(endOf: Array("done\n".utf8)) == PrintedText("done\n"))
        let cut = PrintedText(endOf: Array("€".utf8) + [UInt8](repeating: 0x61, count: most - 1))
        #expect(cut.omittedBytes == 3 && cut.text.utf8.count == most - 1)
        let known = PrintedText(endOf: Array("end".utf8), sizeInBytes: 1_000)
        #expect(known.text == "end" && known.omittedBytes == 997 && !known.isEmpty)
        #expect(PrintedText(endOf: []).isEmpty)
        #expect(PrintedText(endOf: [0xFF, 0x61]).text == "\u{FFFD}a")
    }

    @Test("can be read by every receiver of JSON, however many marks stand in a row")
    func marks() throws {
        for count in [0, 1, WireLimits.combiningMarks, WireLimits.combiningMarks + 1, 5_000] {
            let printed = PrintedText("a" + String(repeating: "\u{301}", count: count) + "b")
            let encoded = JSONValue.string(printed.text).encoded
            #expect(try JSONValue(parsing: encoded[...]).string == printed.text)
            #expect(printed.text.unicodeScalars.count == 2 + min(count, WireLimits.combiningMarks))
        }
    }
}
