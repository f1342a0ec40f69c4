import Testing

@testable import ForgeBusFleet

@Suite("A cycle's age")
struct CoverageTests {
    @Test(
        "covers a change only beyond the drift of both clocks",
        arguments: [
            // Seconds since the cycle began, and since the change.
            (0.0, 1.0, true), (0.9, 1.0, true), (0.999, 1.0, true), (0.9991, 1.0, false), (1.0, 1.0, false),
            (2.0, 1.0, false), (3_596.4, 3_600.0, true), (3_596.5, 3_600.0, false), (0.0, 0.0, false),
            (0.0, -1.0, false),
        ]
    )
    func covers(age: Double, since: Double, isCovered: Bool) {
        #expect(Coverage.covers(age: .seconds(age), sinceChange: .seconds(since)) == isCovered)
    }

    @Test(
        "may cover a change that it began shortly before or after, and tells it from one that came later",
        arguments: [
            (3_590.0, 3_600.0, true), (3_603.6, 3_600.0, true), (3_603.7, 3_600.0, false), (1.0, 1.0, true),
            (2.0, 1.0, false),
        ]
    )
    func mayCover(age: Double, since: Double, isPossible: Bool) {
        #expect(Coverage.mayCover(age: .seconds(age), sinceChange: .seconds(since)) == isPossible)
    }
}
