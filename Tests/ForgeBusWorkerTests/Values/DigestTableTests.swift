import Testing

@testable import ForgeBusWorker

@Suite("A digest table")
struct DigestTableTests {
    /// Of a hundred keys, those with the same remainder share a hash.
    private struct Key: Hashable {
        let number: Int
        let hashes: Int

        func hash(into hasher: inout Hasher) { hasher.combine(number % hashes) }
    }

    @Test("is a dictionary, however many keys share a hash", arguments: [1, 3, 100])
    func model(hashes: Int) {
        var generator = SeededGenerator(seed: UInt64(hashes))
        var table = DigestTable<Key, Int>()
        var model: [Key: Int] = [:]
        for step in 0..<20_000 {
            let key = Key(number: Int.random(in: 0..<100, using: &generator), hashes: hashes)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: #expect(table.removeValue(forKey: key) == model.removeValue(forKey: key))
            case 1: (table[key], model[key]) = (nil, nil)
            default: (table[key], model[key]) = (step, step)
            }
            #expect(table[key] == model[key])
            #expect(table.count == model.count && table.isEmpty == model.isEmpty)
            if step.isMultiple(of: 100) {
                #expect(Dictionary(uniqueKeysWithValues: table.map { ($0.key, $0.value) }) == model)
            }
        }
    }

    @Test("finds a key whose hash another has given up")
    func twin() {
        let (first, second) = (Key(number: 1, hashes: 1), Key(number: 2, hashes: 1))
        var table: DigestTable = [first: "first", second: "second"]
        table[first] = nil
        #expect(table[second] == "second")
        table[second] = "again"
        table[first] = "back"
        #expect(table[first] == "back" && table[second] == "again" && table.count == 2)
    }
}
