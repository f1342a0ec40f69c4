import Testing

@testable import ForgeBusWorker

@Suite("A moment")
struct MomentTests {
    private let start = Moment(nanoseconds: 1_000, unixMilliseconds: 5)

    @Test("is advanced to the nanosecond, and back")
    func advancing() {
        let later = start.advanced(by: .seconds(2) + .nanoseconds(3))
        #expect(later.nanoseconds == 2_000_001_003)
        #expect(later.since(start) == .seconds(2) + .nanoseconds(3))
        #expect(start < later)
        #expect(start.advanced(by: .nanoseconds(-400)).nanoseconds == 600)
    }

    @Test("stays what it is for people", arguments: [Duration.zero, .seconds(86_400)])
    func wallClock(duration: Duration) {
        #expect(start.advanced(by: duration).unixMilliseconds == 5)
    }

    @Test(
        "of a duration beyond all measure is the last there is",
        arguments: [
            Duration.seconds(Int64.max), .seconds(9_223_372_037), .nanoseconds(Int64.max),
            Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 999_999_999_999_999_999),
        ]
    )
    func farAway(duration: Duration) {
        #expect(start.advanced(by: duration).nanoseconds == .max)
    }

    @Test(
        "of a duration beyond all measure into the past is long over",
        arguments: [
            Duration.seconds(Int64.min), .seconds(-9_300_000_000),
        ]
    )
    func longAgo(duration: Duration) {
        #expect(start.advanced(by: duration) < start)
        let zero = Moment(nanoseconds: 0, unixMilliseconds: 5)
        #expect(zero.advanced(by: duration) < zero)
    }
}
