import ForgeBusStore
import Testing

@testable import ForgeBusSQLite

@Suite("The book of room")
struct RoomBookTests {
    private var book = RoomBook(floor: 100, margin: 10, reserve: 50)

    @Test("says once that room is short")
    mutating func short() {
        #expect(book.seen(free: 100, hasReserve: true) == .none)
        #expect(book.seen(free: 99, hasReserve: true) == .tellShort)
        #expect(book.seen(free: 98, hasReserve: true) == .none)
    }

    @Test("takes a lost reserve for room that is short")
    mutating func lost() {
        #expect(book.seen(free: 1_000, hasReserve: false) == .tellShort)
    }

    @Test("wants room for the reserve and some more before there is enough again")
    mutating func again() {
        _ = book.seen(free: 0, hasReserve: false)
        #expect(book.seen(free: 159, hasReserve: false) == .none)
        #expect(book.seen(free: 160, hasReserve: false) == .takeReserve)
        #expect(book.room == .short)
        book.reserved()
        #expect(book.room == .ample)
    }
}
