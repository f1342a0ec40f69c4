import Testing

@testable import ZeroMQ

@Suite("A CURVE key")
struct KeyTests {
    @Test("is written as the specification's example has it")
    func specification() {
        let bytes: [UInt8] = [0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B]
        #expect(Z85.encode(bytes) == "HelloWorld")
        #expect(Z85.decode("HelloWorld".utf8) == bytes)
    }

    @Test("of any bytes is read back from its text")
    func roundTrip() throws {
        for _ in 0..<1_000 {
            let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
            let key = try PublicKey(bytes: bytes)
            #expect(key.bytes == bytes)
            #expect(try PublicKey(key.description) == key)
        }
    }

    @Test(
        "is not read from what is none",
        arguments: ["", "short", String(repeating: "#", count: 40), String(repeating: "é", count: 20)]
            + ["\"", "\\", "~", "|", "`", "'", ",", ";", "_", " ", "\u{0}", "\u{7F}"].map {
                String(repeating: "0", count: 39) + $0
            }
    )
    func invalid(_ text: String) {
        let error = #expect(throws: ZeroMQError.self) { try PublicKey(text) }
        #expect(error?.code == .invalidKey)
        #expect(throws: ZeroMQError.self) { try SecretKey(text) }
    }

    @Test("has 32 bytes, no more and no fewer", arguments: [0, 31, 33, 40])
    func size(_ count: Int) {
        let error = #expect(throws: ZeroMQError.self) { try PublicKey(bytes: [UInt8](repeating: 0, count: count)) }
        #expect(error?.message.contains("\(count)") == true)
    }

    @Test("pair is new each time, and its public half follows from the secret one")
    func pairs() throws {
        let pairs = (0..<100).map { _ in KeyPair() }
        #expect(Set(pairs.map(\.publicKey)).count == 100)
        for pair in pairs { #expect(try KeyPair(secretKey: pair.secretKey) == pair) }
    }

    @Test("never shows its secret half")
    func redaction() {
        let pair = KeyPair()
        var dumped = ""
        dump(pair, to: &dumped)
        for text in ["\(pair)", String(reflecting: pair), "\(pair.secretKey)", dumped] {
            #expect(!text.contains(pair.secretKey.text))
        }
        let misplaced = #expect(throws: ZeroMQError.self) { try PublicKey(pair.secretKey.text + "x") }
        #expect("\(misplaced as Any)".contains(pair.secretKey.text) == false)
    }
}
