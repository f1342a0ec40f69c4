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

    @Test("later has the wall clock's time, if nobody sets it", arguments: [Duration.zero, .seconds(86_400)])
    func wallClock(duration: Duration) {
        #expect(start.advanced(by: duration).unixMilliseconds == 5 + duration.milliseconds)
    }

    @Test("is told to people with the same time whenever they ask, although clocks are read in parts of a millisecond")
    func told() {
        let deadline = start.advanced(by: .seconds(259_200))
        for late in stride(from: Int64(0), through: 3_000_000, by: 10_000) {
            let now = Moment(nanoseconds: start.nanoseconds + late, unixMilliseconds: 5 + late / 1_000_000)
            #expect(now.unix(of: deadline) == 259_200_005)
        }
    }

    @Test("is told by the new time of a wall clock that somebody set")
    func set() {
        let deadline = start.advanced(by: .seconds(60))
        let now = Moment(nanoseconds: start.nanoseconds, unixMilliseconds: 3_600_005)
        #expect(now.unix(of: deadline) == 3_660_005)
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
