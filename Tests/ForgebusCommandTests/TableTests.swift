import Testing

@testable import forgebus

@Suite("A table")
struct TableTests {
    private static let table: Table = {
        var table = Table([.short("RUN"), .short("PIPELINE"), .short("STATE"), .short("AGE"), .wide("DETAIL")])
        table.add([
            "run-3rkrdjaywazd3-1", "deploy", "parked", "2h10m", "push: exit status 1:\nno route to host 10.0.0.17",
        ])
        table.add(["run-3rkrdjaywazd3-12", "nightly.reports", "waiting", "3d", "waits for reports.2026-11-24.approve"])
        table.add(["run-3rkrdjaywazd3-13", "deploy", "completed", "5s", ""])
        return table
    }()

    @Test("is as wide as its texts where nothing limits it, and ends no line in spaces")
    func free() {
        let lines = Self.table.lines(width: nil)
        #expect(lines.count == 4)
        #expect(lines[0] == "RUN                   PIPELINE         STATE      AGE    DETAIL")
        #expect(lines[1].hasSuffix("  push: exit status 1: no route to host 10.0.0.17"))
        #expect(lines[3] == "run-3rkrdjaywazd3-13  deploy           completed  5s")
    }

    @Test("fits into any width from 60 on, breaks no id, and loses nothing", arguments: 60...200)
    func wrapped(_ width: Int) {
        let lines = Self.table.lines(width: width)
        #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
        func words(_ lines: [String]) -> [Substring] {
            lines.flatMap { $0.split(separator: " ") }.filter { $0 != "DETAIL" }.sorted()
        }
        #expect(words(lines) == words(Self.table.lines(width: nil)))
    }

    @Test("has a long text below its row where there is no room beside it")
    func stacked() {
        #expect(
            Self.table.lines(width: 60).prefix(3) == [
                "RUN                   PIPELINE         STATE      AGE",
                "run-3rkrdjaywazd3-1   deploy           parked     2h10m",
                "    push: exit status 1: no route to host 10.0.0.17",
            ]
        )
    }

    @Test("breaks a long text at spaces, and no word")
    func breaks() {
        #expect("no route to host".wrapped(to: 8) == ["no route", "to host"])
        #expect("deploy.42.approve".wrapped(to: 10) == ["deploy.42.approve"])
        #expect("".wrapped(to: 4) == [""])
    }

    @Test(
        "says an age in its largest unit, and the next one while that is small",
        arguments: [
            (-5, "0s"), (999, "0s"), (45_000, "45s"), (61_000, "1m1s"), (600_000, "10m"), (12_000_000, "3h20m"),
            (90_000_000, "1d1h"), (950_400_000, "11d"),
        ] as [(Int64, String)]
    )
    func ages(_ milliseconds: Int64, _ text: String) { #expect(Age.text(milliseconds) == text) }
}
