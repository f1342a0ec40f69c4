import ForgeBusStore
import GRDB
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

@Suite("The error of a write")
struct WriteErrorTests {
    @Test("is one of the disk even if SQLite reports damage, and sends nobody back to a backup")
    func damage() {
        let cause = DatabaseError(resultCode: .SQLITE_CORRUPT, message: "database disk image is malformed")
        let error = StoreError(writing: cause, at: "/var/shop.sqlite")
        #expect(error.code == .inputOutput && !error.next.contains("backup"))
        #expect(StoreError(cause, at: "/var/shop.sqlite").code == .unsound)
    }
}
