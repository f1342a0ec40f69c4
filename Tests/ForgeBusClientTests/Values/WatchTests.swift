import ForgeBusProtocol
import Testing

@testable import ForgeBusClient

@Suite("The credit of a watch")
struct WatchTests {
    private func event(_ sequence: Int, lost: Int = 0) -> BusEvent {
        BusEvent(.run("run-1", of: "p"), sequence: sequence, lost: lost, body: [:])
    }

    /// A watch that has asked for all it has room for.
    private func begun(capacity: Int) -> Watch {
        var watch = Watch(capacity: capacity)
        watch.sent()
        return watch
    }

    @Test("is the reader's room at first, and what is free again once that is half of it")
    func renewed() {
        #expect(Watch(capacity: 8).wish == 8)
        var watch = begun(capacity: 8)
        for number in 1...8 { _ = watch.received(event(number)) }
        #expect(watch.taken(3) == false)
        #expect(watch.taken(1) == true)
        #expect(watch.wish == 4)
        watch.sent()
        #expect(watch.wish == 0)
        #expect(watch.taken(3) == false)
        #expect(watch.taken(1) == true)
        #expect(watch.wish == 4)
    }

    @Test("never lets the worker tell more than the reader has room for")
    func bounded() {
        var generator = SystemRandomNumberGenerator()
        for capacity in [1, 2, 3, 10, 64] {
            var (watch, credit, unread, told) = (begun(capacity: capacity), capacity, 0, 0)
            for _ in 0..<5_000 {
                if Bool.random(using: &generator), credit > 0 {
                    (credit, unread, told) = (credit - 1, unread + 1, told + 1)
                    _ = watch.received(event(told))
                } else if unread > 0 {
                    unread -= 1
                    if watch.taken(1) {
                        credit += watch.wish
                        watch.sent()
                    }
                }
                #expect(credit + unread <= capacity)
                if unread == 0 { #expect(credit > 0, "Nothing is to be read, and nothing can be told.") }
            }
        }
    }

    @Test("keeps the worker's numbers as long as the watch lasts")
    func numbers() {
        var watch = begun(capacity: 8)
        #expect(watch.received(event(1)) == event(1))
        #expect(watch.received(event(5, lost: 3)) == event(5, lost: 3))
    }

    @Test("counts each interruption as one lost event, and goes on with the count")
    func interrupted() {
        var watch = begun(capacity: 8)
        _ = watch.received(event(1))
        _ = watch.received(event(2))
        #expect(watch.interrupted() == true)
        #expect(watch.wish == 6)
        #expect(watch.interrupted() == true)
        watch.sent()
        #expect(watch.received(event(1)) == event(4, lost: 1))
        #expect(watch.received(event(4, lost: 2)) == event(7, lost: 2))
    }

    @Test("that is refused while the watch goes on is asked for again, and changes no number")
    func refused() {
        var watch = begun(capacity: 4)
        for number in 1...4 { _ = watch.received(event(number)) }
        _ = watch.taken(4)
        watch.sent()
        watch.refused()
        #expect(watch.wish == 4)
        #expect(watch.received(event(5)) == event(5))
        watch.sent()
        #expect(watch.received(event(6)) == event(6))
    }

    @Test("that is refused before the first event begins anew, with one event said to be lost")
    func refusedAtFirst() {
        var watch = begun(capacity: 4)
        watch.refused()
        #expect(watch.wish == 4)
        watch.sent()
        #expect(watch.received(event(1)) == event(2, lost: 1))
    }

    @Test("that is about to be asked for is all that there is room for")
    func toppedUp() {
        var watch = begun(capacity: 8)
        _ = watch.received(event(1))
        #expect(watch.interrupted() == true)
        #expect(watch.taken(1) == true)
        #expect(watch.wish == 8)
    }

    @Test("that was never given is not interrupted")
    func neverBegun() {
        var watch = Watch(capacity: 8)
        #expect(watch.interrupted() == true)
        watch.sent()
        #expect(watch.received(event(1)) == event(1))
    }

    @Test("that ended while nothing was read is asked for when there is room")
    func full() {
        var watch = begun(capacity: 2)
        _ = watch.received(event(1))
        _ = watch.received(event(2))
        #expect(watch.interrupted() == false)
        #expect(watch.taken(1) == true)
        #expect(watch.wish == 1)
    }
}
