import ForgeBusConfiguration
import Testing

@testable import forgebus

@Suite("A time on the command line")
struct TimeSpanTests {
    private static let times: [(String, Duration)] = [
        ("0", .zero), ("90", .seconds(90)), ("0.5", .milliseconds(500)), ("250ms", .milliseconds(250)),
        ("30s", .seconds(30)), ("5m", .seconds(300)), ("5min", .seconds(300)), ("2h", .seconds(7_200)),
        ("3d", .seconds(259_200)), ("1h30m", .seconds(5_400)), ("1.5h", .seconds(5_400)),
    ]

    @Test("has a unit, and without one means seconds", arguments: times)
    func read(_ word: String, time: Duration) throws {
        #expect(try TimeSpan.read(word) == time)
    }

    @Test(
        "in any other form is refused",
        arguments: ["", "s", "-5", "5 s", "5x", "5sm", "1e3", "inf", "nan", "5s ", ".5s", "5.s", "99999999999"]
    )
    func refuse(_ word: String) {
        #expect(throws: (any Error).self) { try TimeSpan.read(word) }
    }

    @Test("is shown in its largest whole unit")
    func words() throws {
        for (time, words) in [
            (Duration.zero, "0s"), (.milliseconds(1), "1ms"), (.seconds(90), "90s"), (.seconds(120), "2m"),
            (.seconds(7_200), "2h"), (.seconds(86_400), "1d"), (.seconds(31_536_000), "365d"),
        ] {
            #expect(DurationText.text(of: time) == words)
            #expect(try TimeSpan.read(words) == time)
        }
    }
}
