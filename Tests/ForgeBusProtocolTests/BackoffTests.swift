import ForgeBusProtocol
import Testing

@Suite("A backoff")
struct BackoffTests {
    @Test("doubles from the first pause to the longest")
    func doubles() {
        let backoff = Backoff(from: .seconds(1), upTo: .seconds(5))
        #expect((0..<5).map { backoff.pause(after: $0) } == [1, 2, 4, 5, 5].map { .seconds($0) })
        #expect(backoff.pause(after: .max) == .seconds(5))
    }

    @Test("is never longer than its longest pause, and zero where the first is")
    func bounds() {
        #expect(Backoff(from: .seconds(9), upTo: .seconds(5)).pause(after: 0) == .seconds(5))
        #expect(Backoff(from: .zero, upTo: .seconds(5)).pause(after: 100) == .zero)
        #expect(Backoff(from: .seconds(Int64.max), upTo: .seconds(5)).pause(after: 100) == .seconds(5))
    }
}
