import ForgeBusProtocol
import Testing

@Suite("A name")
struct NameTests {
    private static let tokenBytes = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-".utf8)

    @Test("takes letters, digits, underscore and hyphen, and no other byte in a token")
    func takesTheseBytes() {
        for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: ".") {
            let taken = (try? Name(bytes: [UInt8(ascii: "a"), byte, UInt8(ascii: "z")])) != nil
            #expect(taken == Self.tokenBytes.contains(byte), "byte \(byte)")
        }
    }

    @Test(
        "says which rule is broken",
        arguments: [
            ("", "empty"), (".a", "empty part"), ("a..b", "empty part"), ("a.", "dot"), ("a b", "A-Z a-z 0-9 _ -"),
            (String(repeating: "a", count: 65), "64"), (String(repeating: "a.", count: 129), "256"),
        ]
    )
    func saysWhichRule(text: String, rule: String) {
        let error = #expect(throws: BusError.self) { try Name(text) }
        #expect(error?.code == .badName)
        #expect(error?.message.contains(rule) == true, "\(error?.message ?? "")")
        #expect(#expect(throws: BusError.self) { try Name(bytes: Array(text.utf8)[...]) } == error)
    }

    @Test("is the same from text and from bytes, and sorts by its text")
    func isTheSame() throws {
        let name = try Name(bytes: Array("deploy.42".utf8)[...])
        #expect(name == "deploy.42")
        #expect(name.description == "deploy.42")
        #expect(["b", "a.b", "a"].map { $0 as Name }.sorted() == ["a", "a.b", "b"])
    }

    @Test("that is hostile is quoted without its control characters, and cut short")
    func isQuoted() {
        let error = #expect(throws: BusError.self) { try Name("\u{1B}[31m\n\"" + String(repeating: "x", count: 2000)) }
        let message = error?.message ?? ""
        #expect(message.hasPrefix("\"\\u{1b}[31m\\u{a}\\\""))
        #expect(message.utf8.count < 200)
        #expect(message.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }
}

@Suite("A request id")
struct RequestIDTests {
    @Test("takes what can be seen in ASCII, and no other byte")
    func takesWhatCanBeSeen() {
        for byte in UInt8.min...UInt8.max {
            #expect(((try? RequestID(bytes: [byte])) != nil) == (0x21...0x7E).contains(byte), "byte \(byte)")
        }
    }

    @Test("has 1 to 128 bytes")
    func hasABound() throws {
        #expect(try RequestID(String(repeating: "i", count: 128)).text.utf8.count == 128)
        for text in ["", String(repeating: "i", count: 129)] {
            #expect(#expect(throws: BusError.self) { try RequestID(text) }?.code == .badID)
        }
    }

    @Test("drawn at random has 128 bits in 32 digits, and is the same for the same seed")
    func isDrawnAtRandom() {
        var first = SplitMix64(state: 7)
        var second = SplitMix64(state: 7)
        let ids = (0..<1000).map { _ in RequestID.random(using: &first) }
        #expect(ids == (0..<1000).map { _ in RequestID.random(using: &second) })
        #expect(Set(ids).count == 1000)
        let digits = Set("0123456789abcdef")
        #expect(ids.allSatisfy { $0.text.count == 32 && digits.isSuperset(of: $0.text) })
        #expect(RequestID.random() != RequestID.random())
    }
}
