import Testing

@testable import ForgeBusWorker

@Suite("A table of what was used lately")
struct RecentTableTests {
    @Test("knows the latest keys, as many as it promises, and never more than twice as many")
    func bounds() {
        var table = RecentTable<Int, Int>(generation: 10)
        for key in 0..<1_000 {
            table.remember(-key, under: key)
            #expect(table.count <= 20)
            for latest in max(0, key - 9)...key { #expect(table[latest] == -latest) }
        }
        #expect(table[0] == nil)
    }

    @Test("keeps what is used again and again, whatever else comes")
    func usedAgain() {
        var table = RecentTable<Int, Int>(generation: 10)
        for key in 1..<1_000 {
            table.remember(key, under: 0)
            table.remember(key, under: key)
            #expect(table[0] == key)
        }
    }
}
