import NIOCore
import Testing

@testable import ForgeBusGateway

@Suite("The connections of a gateway")
struct ConnectionBookTests {
    private typealias Book = ConnectionBook<Int>

    private let start = ContinuousClock.now
    private let here = ClientAddress(header: "192.0.2.1")
    private let there = ClientAddress(header: "192.0.2.2")

    private func book(_ all: Int, reserve: Int = 1, perAddress: Int) -> Book {
        Book(Book.Limits(all: all, reserve: reserve, perAddress: perAddress))
    }

    @Test("of one address give way to new ones of it, those that are quiet for the longest first")
    func address() throws {
        var book = book(100, perAddress: 3)
        for id in 0..<3 { #expect(book.open(id, from: here, at: start) == Book.Opening()) }
        // The first one asks, and is answered.
        book.becameBusy(0)
        let fourth = book.open(3, from: here, at: start)
        #expect(fourth.place == .common && fourth.givesWay == 1)
        let limit = Book.Limit.address(try #require(here))
        #expect(fourth.began == [limit])
        #expect(book.open(10, from: there, at: start) == Book.Opening(), "another address has its own")
        // A request that begins makes a connection quiet anew, also while it is only half read.
        book.becameQuiet(2)
        let fifth = book.open(4, from: here, at: start)
        #expect(fifth.givesWay == 3 && fifth.began.isEmpty, "the limit began once")
        #expect(book.count == 4 && book.turnedAway == 2)
    }

    @Test("that all answer leave a new one of the address a place for probes")
    func busy() {
        var book = book(100, reserve: 2, perAddress: 2)
        for id in 0..<2 {
            _ = book.open(id, from: here, at: start)
            book.becameBusy(id)
        }
        for id in 2..<4 {
            #expect(book.open(id, from: here, at: start).place == .reserve)
            #expect(book.isReserve(id))
        }
        let next = book.open(4, from: here, at: start)
        #expect(next.place == .reserve && next.givesWay == 2)
        book.becameBusy(3)
        book.becameBusy(4)
        #expect(book.open(5, from: here, at: start).place == .none)
        book.close(4)
        #expect(book.open(6, from: here, at: start).place == .reserve)
        #expect(book.count == 4)
    }

    @Test("that are too many give way whatever their addresses, and keep a reserve")
    func all() {
        var book = book(4, reserve: 1, perAddress: 10)
        for id in 0..<3 { _ = book.open(id, from: id == 1 ? there : here, at: start) }
        book.becameBusy(0)
        let opening = book.open(3, from: here, at: start)
        #expect(opening.place == .common && opening.givesWay == 1 && opening.began == [.all])
        book.becameBusy(2)
        book.becameBusy(3)
        #expect(book.open(4, from: there, at: start).place == .reserve)
        book.becameQuiet(2)
        #expect(book.open(5, from: there, at: start).givesWay == 2)
    }

    @Test("of the trusted proxy count for those whose requests they carry")
    func proxy() throws {
        var book = book(100, perAddress: 2)
        // The proxy has more connections than one address may have.
        for id in 0..<5 {
            _ = book.open(id, from: here, at: start)
            #expect(book.carries(id, for: nil, at: start).isAdmitted == true)
            book.becameBusy(id)
            book.becameQuiet(id)
        }
        #expect(book.count == 5 && book.turnedAway == 0)
        for id in 0..<2 { #expect(book.carries(id, for: there, at: start).isAdmitted == true) }
        let third = book.carries(2, for: there, at: start)
        let limit = Book.Limit.address(try #require(there))
        #expect(!third.isAdmitted && third.began == [limit])
        book.becameQuiet(0)
        #expect(book.carries(2, for: there, at: start).isAdmitted == true)
    }

    @Test("reach a limit once, until it has closed none for some time")
    func limits() throws {
        var book = book(100, perAddress: 1)
        let limit = Book.Limit.address(try #require(here))
        _ = book.open(0, from: here, at: start)
        #expect(book.open(1, from: here, at: start).began == [limit])
        let later = start + .seconds(9)
        #expect(book.open(2, from: here, at: later).began.isEmpty)
        #expect(book.ended(at: start + .seconds(10)) == [])
        #expect(book.isReached)
        #expect(book.ended(at: later + Book.calm) == [limit])
        #expect(!book.isReached)
        #expect(book.open(3, from: here, at: later + Book.calm).began == [limit])
    }

    @Test("that come too fast wait until they have sent something, and only probes are let in")
    func fast() {
        var book = book(100, reserve: 2, perAddress: 1)
        _ = book.open(0, from: here, at: start)
        for id in 1...ClosingBudget.perSecond { #expect(book.open(id, from: here, at: start).givesWay == id - 1) }
        let last = ClosingBudget.perSecond
        #expect(book.isOpen(to: here, at: start) == false)
        #expect(book.isOpen(to: there, at: start) == true)
        #expect(book.open(1_000, from: here, at: start).place == .later)
        #expect(book.open(1_000, from: here, .other, at: start).place == .none)
        #expect(book.open(1_001, from: here, .probe, at: start) == Book.Opening(place: .reserve))
        #expect(book.open(1_002, from: there, at: start).place == .common)
        let later = start + .seconds(1) / ClosingBudget.perSecond
        #expect(book.open(1_003, from: here, at: later).givesWay == last)
        #expect(book.turnedAway == last + 3)
    }

    @Test("are found quickly, however often they come and go")
    func many() {
        var book = book(64, reserve: 4, perAddress: 32)
        for id in 0..<20_000 {
            _ = book.open(id, from: id.isMultiple(of: 2) ? here : there, at: start + .seconds(id))
            book.becameBusy(id)
            book.becameQuiet(id)
            #expect(book.count <= 64)
        }
        #expect(book.turnedAway == 20_000 - 60)
    }
}

@Suite("An exchange of requests and answers")
struct ExchangeTests {
    @Test("goes on after whole requests, also when the next one comes before the answer")
    func whole() {
        var exchange = Exchange()
        #expect(exchange.isQuiet)
        #expect(exchange.headArrived() == .pass)
        #expect(exchange.isQuiet, "the request has not arrived completely")
        #expect(exchange.endArrived() == .pass)
        #expect(!exchange.isQuiet)
        #expect(exchange.headArrived() == .pass)
        #expect(exchange.bodyArrived() == .pass)
        #expect(!exchange.isQuiet)
        #expect(exchange.answerBegan(isLast: false) == false)
        #expect(exchange.answerEnded() == .serve)
        #expect(exchange.isQuiet)
        #expect(exchange.endArrived() == .pass)
        #expect(exchange.answerBegan(isLast: false) == false)
        #expect(exchange.answerEnded() == .serve)
        #expect(exchange.isQuiet)
    }

    @Test("ends with the answer to a request that has not arrived")
    func early() {
        var exchange = Exchange()
        _ = exchange.headArrived()
        #expect(exchange.answerBegan(isLast: false) == true)
        #expect(exchange.answerEnded() == .linger)
        #expect(exchange.bodyArrived() == .drop)
        #expect(exchange.endArrived() == .close)
        #expect(exchange.headArrived() == .drop)
    }

    @Test("ends with the answer to what is no request")
    func malformed() {
        var exchange = Exchange()
        #expect(exchange.answerBegan(isLast: true) == true)
        #expect(exchange.answerEnded() == .linger)
    }

    @Test("ends at once where the gateway wants it to, after a whole request")
    func last() {
        var exchange = Exchange()
        _ = exchange.headArrived()
        _ = exchange.endArrived()
        #expect(exchange.answerBegan(isLast: true) == true)
        #expect(exchange.answerEnded() == .close)
    }
}

@Suite("The address of a client")
struct ClientAddressTests {
    @Test(
        "is read from a proxy's header",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), (" 192.0.2.1:443", "192.0.2.1"), ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
            ("\"[2001:db8::1]:443\"", "2001:db8::/64"), ("::ffff:192.0.2.1", "192.0.2.1"), ("unknown", nil), ("", nil),
            ("_hidden", nil),
        ] as [(String, String?)]
    )
    func reads(text: String, address: String?) { #expect(ClientAddress(header: text[...])?.description == address) }
}
