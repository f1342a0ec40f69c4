import Testing

@testable import forgebus

@Suite("A table")
struct TableTests {
    private static let table: Table = {
        var table = Table(["RUN", "PIPELINE", "STATE", "AGE", "FOR", "AT"])
        table.add([
            "run-3rkrdjaywazd3-1", "deploy", "parked", "2h10m", "ada",
            "push: exit status 1: no route to host 10.0.0.17",
        ])
        table.add([
            "run-3rkrdjaywazd3-12", "nightly.reports", "waiting", "3d", "ben", "waits for reports.2026-11-24.approve",
        ])
        table.add(["run-3rkrdjaywazd3-13", "deploy", "completed", "5s", "ada", ""])
        return table
    }()

    @Test("is as wide as its texts where nothing limits it, and ends no line in spaces")
    func free() {
        let lines = Self.table.lines(width: nil)
        #expect(lines.count == 4)
        #expect(lines[0] == "RUN                   PIPELINE         STATE      AGE    FOR  AT")
        #expect(lines[3] == "run-3rkrdjaywazd3-13  deploy           completed  5s     ada")
    }

    @Test("fits into any width from 60 on, wraps within its columns, and loses nothing", arguments: 60...200)
    func wrapped(_ width: Int) {
        let lines = Self.table.lines(width: width)
        #expect(lines.allSatisfy { $0.count <= width })
        let text = lines.joined(separator: " ")
        for word in ["parked", "2h10m", "waiting", "completed", "host"] { #expect(text.contains(word)) }
        // Each column begins below its header.
        let place = lines[0].range(of: "STATE").map { lines[0].distance(from: lines[0].startIndex, to: $0.lowerBound) }
        let rows = lines.filter { $0.hasPrefix("run-") }
        let words = rows.map { $0.dropFirst(place ?? 0).prefix { $0 != " " } }
        #expect(words == ["parked", "waiting", "completed"], "\(lines)")
        let letters = lines.dropFirst().joined().filter { !$0.isWhitespace }.sorted()
        let all = Self.table.lines(width: nil).dropFirst().joined().filter { !$0.isWhitespace }.sorted()
        #expect(letters == all)
    }

    @Test("breaks a long text at spaces, else after a joint, else anywhere")
    func breaks() {
        #expect("no route to host".wrapped(to: 8) == ["no route", "to host"])
        #expect("deploy.42.approve".wrapped(to: 10) == ["deploy.42.", "approve"])
        #expect("abcdefghij".wrapped(to: 4) == ["abcd", "efgh", "ij"])
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
