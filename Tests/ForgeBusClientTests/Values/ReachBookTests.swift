import ForgeBusProtocol
import Testing

@testable import ForgeBusClient

@Suite("Where requests of unknown outcome were sent")
struct ReachBookTests {
    @Test("is remembered by their ids, and of too many the oldest are forgotten")
    func bounded() throws {
        var book = ReachBook(capacity: 2)
        let ids = try (1...3).map { try RequestID("r\($0)") }
        #expect(book[ids[0]] == nil)
        book.remember(.store("a"), of: ids[0])
        book.remember(.store("b"), of: ids[1])
        book.remember(.store("c"), of: ids[1])
        #expect(book[ids[0]] == .store("a") && book[ids[1]] == .store("c"))
        book.remember(.store("d"), of: ids[2])
        #expect(book[ids[0]] == nil && book[ids[1]] == .store("c") && book[ids[2]] == .store("d"))
    }
}
