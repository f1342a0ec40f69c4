import TestSupport
import Testing

@testable import ForgeBusWorker

@Suite("A large table")
struct LargeTableTests {
    /// Those with the same remainder share a hash.
    private struct Key: Hashable {
        let number: Int
        let hashes: Int

        func hash(into hasher: inout Hasher) { hasher.combine(number % hashes) }
    }

    @Test("is a dictionary, however many keys share a hash", arguments: [1, 30, 2000])
    func model(hashes: Int) {
        let keys = max(100, hashes)
        var generator = SeededGenerator(seed: UInt64(hashes))
        var table = LargeTable<Key, Int>()
        var model: [Key: Int] = [:]
        for step in 0..<20_000 {
            let key = Key(number: Int.random(in: 0..<keys, using: &generator), hashes: hashes)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: #expect(table.removeValue(forKey: key) == model.removeValue(forKey: key))
            case 1: (table[key], model[key]) = (nil, nil)
            default: (table[key], model[key]) = (step, step)
            }
            #expect(table[key] == model[key])
            #expect(table.count == model.count)
            if step.isMultiple(of: 1000) {
                #expect(Dictionary(uniqueKeysWithValues: table.map { ($0.key, $0.value) }) == model)
                for number in 0..<keys {
                    let key = Key(number: number, hashes: hashes)
                    #expect(table[key] == model[key])
                }
            }
        }
    }
}
