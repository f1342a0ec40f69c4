import ForgeBusProtocol
import Testing

@testable import ForgeBusWorker

@Suite("The book of publishers")
struct PublisherBookTests {
    private var book = PublisherBook()

    private mutating func receive(
        _ sequence: UInt64,
        on topic: Name = "t",
        epoch: UInt64 = 1,
        from principal: String = "ada"
    ) -> PublisherBook.Arrival {
        book.received(Publication.Origin(epoch: epoch, sequence: sequence), on: topic, from: principal)
    }

    @Test("hears of a publisher with the first of its messages")
    mutating func firstOfLife() {
        #expect(receive(1) == .firstOfLife)
        #expect(receive(2) == .inOrder)
        #expect(receive(1, on: "u") == .inOrder)
    }

    @Test("hears of a restart by another epoch, and knows the old one as well")
    mutating func restart() {
        #expect(receive(7) == .firstOfLife)
        #expect(receive(1, epoch: 2) == .firstOfLife)
        #expect(receive(8) == .inOrder)
        #expect(receive(2, epoch: 2) == .inOrder)
    }

    @Test("lets nobody hide what another publishes behind a number it claims")
    mutating func claims() {
        #expect(receive(7) == .firstOfLife)
        #expect(receive(.max, from: "eve") == .firstOfLife)
        #expect(receive(8) == .inOrder)
        #expect(receive(9, from: "eve") == .covered)
    }

    @Test("counts what is missing in a row, and not twice")
    mutating func gap() {
        _ = receive(1)
        #expect(receive(2) == .inOrder)
        #expect(receive(6) == .afterGap(of: 3))
        #expect(receive(7) == .inOrder)
    }

    @Test("takes a message that came before, and one that a later one overtook, as covered")
    mutating func covered() {
        _ = receive(1)
        #expect(receive(1) == .covered)
        #expect(receive(3) == .afterGap(of: 1))
        #expect(receive(2) == .covered)
        #expect(receive(4) == .inOrder)
    }

    @Test("keeps rows of topics and of publishers apart")
    mutating func rows() {
        _ = receive(5, on: "t", epoch: 1)
        _ = receive(9, on: "t", epoch: 2)
        #expect(receive(5, on: "u", epoch: 1) == .inOrder)
        #expect(receive(6, on: "t", epoch: 1) == .inOrder)
        #expect(receive(10, on: "t", epoch: 2) == .inOrder)
    }

    @Test("says nothing of a message without an origin but that it came")
    mutating func withoutOrigin() {
        for _ in 0..<3 { #expect(book.received(nil, on: "t", from: "ada") == .inOrder) }
        #expect(receive(1) == .firstOfLife)
    }

    @Test("takes a topic that it has forgotten as unknown, not as a gap")
    mutating func forgotten() throws {
        book = PublisherBook(topics: 2, lives: 2)
        _ = receive(1)
        for number in 0..<4 { _ = try receive(1, on: Name("other.\(number)")) }
        #expect(receive(9) == .inOrder)
        #expect(receive(11) == .afterGap(of: 1))
    }

    @Test("takes a publisher that it has forgotten as one that began anew")
    mutating func forgottenLife() {
        book = PublisherBook(topics: 100, lives: 2)
        _ = receive(1)
        for epoch in 2...5 { _ = receive(1, epoch: UInt64(epoch)) }
        #expect(receive(2) == .firstOfLife)
    }

    @Test("owes its followers a cycle for all but what is covered, and everybody one where something is missing")
    func debts() {
        let arrivals: [PublisherBook.Arrival] = [.inOrder, .firstOfLife, .afterGap(of: 1), .covered]
        #expect(arrivals.map(\.isNews) == [true, true, true, false])
        #expect(arrivals.map(\.showsLoss) == [false, true, true, false])
    }
}
