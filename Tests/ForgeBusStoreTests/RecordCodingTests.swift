import ForgeBusStore
import StoreBehaviour
import Testing

@Suite("A record as bytes")
struct RecordCodingTests {
    @Test("is read as what was written, and its key too")
    func roundTrip() throws {
        var generator = RecordGenerator(seed: 7)
        for _ in 0..<3_000 {
            let record = generator.record()
            #expect(StoreKey(record.key.kind, text: record.key.text) == record.key)
            #expect(try StoreRecord(encoded: record.encoded, under: record.key) == record)
        }
    }

    @Test("begins with the number of its form")
    func numbered() {
        var generator = RecordGenerator(seed: 6)
        for _ in 0..<100 { #expect(generator.record().encoded.first == 1) }
    }

    @Test("is refused when its form is another one", arguments: [0, 2, 255] as [UInt8])
    func otherForm(_ form: UInt8) {
        let record = StoreRecord.mode(ModeRecord(monitor: "stock", screen: "s", until: 1))
        let bytes: [UInt8] = [form] + record.encoded.dropFirst()
        let error = #expect(throws: StoreError.self) { try StoreRecord(encoded: bytes, under: record.key) }
        #expect(error?.code == .unsound)
    }

    @Test("is refused when any of it is missing, or something follows it")
    func notWhole() throws {
        var generator = RecordGenerator(seed: 8)
        for _ in 0..<100 {
            let record = generator.record()
            let bytes = record.encoded
            for count in Set([0, 1, bytes.count / 2, bytes.count - 1]) where count < bytes.count {
                #expect(throws: StoreError.self) {
                    try StoreRecord(encoded: Array(bytes.prefix(count)), under: record.key)
                }
            }
            #expect(throws: StoreError.self) { try StoreRecord(encoded: bytes + [0], under: record.key) }
        }
    }

    @Test("is refused or read as something else when a bit of it is another, and ends no process")
    func flippedBits() {
        var generator = RecordGenerator(seed: 9)
        var numbers = SeededNumbers(seed: 9)
        var refused = 0
        for _ in 0..<3_000 {
            let record = generator.record()
            var bytes = record.encoded
            bytes[numbers.below(bytes.count)] ^= 1 << UInt8(numbers.below(8))
            if (try? StoreRecord(encoded: bytes, under: record.key)) == nil { refused += 1 }
        }
        #expect(refused > 100)
    }
}
