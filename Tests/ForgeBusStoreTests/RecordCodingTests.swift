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
        for _ in 0..<100 { #expect(generator.record().encoded.first == 4) }
    }

    @Test("of form 1 says of no early decision that its gate must not use it, and of no verdict why it is unknown")
    func form1() throws {
        let early = SignalRecord.Early(
            principal: "ada",
            via: nil,
            outcome: .approved(value: []),
            unixMilliseconds: 1,
            until: 2,
            isAsked: true
        )
        let signal = StoreRecord.signal(SignalRecord(signal: "s", state: .early([early])))
        // The last two bytes say whether the decision was asked for, and that nobody sent it for the principal.
        let bytes = [1] + signal.encoded.dropFirst().dropLast(2)
        #expect(try StoreRecord(encoded: bytes, under: signal.key) == signal)
    }

    @Test("is refused by name when its form is newer than this program")
    func newerForm() {
        let record = StoreRecord.mode(ModeRecord(monitor: "stock", screen: "s", until: 1))
        let bytes: [UInt8] = [5] + record.encoded.dropFirst()
        let error = #expect(throws: StoreError.self) { try StoreRecord(encoded: bytes, under: record.key) }
        #expect(error?.code == .unsound)
        let message =
            #"The record of the screen of the monitor "stock" has format version 5; this program reads versions up to 4."#
        #expect(error?.message == message)
        #expect(error?.next.contains("Use a version of the program at least as new") == true)
    }

    @Test("is read as the first releases wrote it, without counts of attempts: crashes count for each action")
    func withoutCounts() throws {
        let record = ProgressRecord(run: "run-1", eligible: ["a", "b"], attempt: 2, crashes: 1, earlierAttempts: 3)
        let bytes = StoreRecord.progress(record).encoded
        // The mark and two numbers, before the standing.
        let earlier = bytes.dropLast(4) + bytes.suffix(1)
        var expected = record
        expected.unrecorded = 1
        #expect(try StoreRecord(encoded: Array(earlier), under: .progress("run-1")) == .progress(expected))
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
