import ForgeBusStore
import Testing

@Suite("The timing of groups")
struct GroupTimingTests {
    private var timing = GroupTiming(size: 256, delay: .nanoseconds(1_000))

    @Test("has an idle lane commit at once")
    func idle() {
        #expect(timing.missing(at: 0, having: 1) == nil)
    }

    @Test("has a lone caller's next commit written at once")
    mutating func lone() {
        timing.committed(changes: 6, callers: 1, waiting: 0, at: 100)
        #expect(timing.missing(at: 101, having: 1) == nil)
    }

    @Test("gathers until three quarters of those who were told have asked again")
    mutating func again() throws {
        timing.committed(changes: 40, callers: 40, waiting: 24, at: 100)
        let missing = try #require(timing.missing(at: 101, having: 24))
        #expect(missing == (1_100, 24))
        #expect(timing.missing(at: 102, having: 48) == nil)
    }

    @Test("gathers behind a caller who asked for several at once, as a worker does")
    mutating func several() throws {
        timing.committed(changes: 7, callers: 1, waiting: 0, at: 100)
        let missing = try #require(timing.missing(at: 101, having: 2))
        #expect(missing == (1_100, 4))
    }

    @Test("gathers both of two")
    mutating func two() {
        timing.committed(changes: 1, callers: 1, waiting: 1, at: 100)
        #expect(timing.missing(at: 101, having: 1) != nil)
        #expect(timing.missing(at: 102, having: 2) == nil)
    }

    @Test("gathers no longer than the delay")
    mutating func delay() {
        timing.committed(changes: 40, callers: 40, waiting: 0, at: 100)
        #expect(timing.missing(at: 1_099, having: 1) != nil)
        #expect(timing.missing(at: 1_100, having: 1) == nil)
    }

    @Test("gathers behind a lone caller when others came meanwhile, and no more than a group")
    mutating func full() {
        timing.committed(changes: 1, callers: 1, waiting: 5_000, at: 100)
        #expect(timing.missing(at: 101, having: 255) != nil)
        #expect(timing.missing(at: 101, having: 256) == nil)
    }
}
