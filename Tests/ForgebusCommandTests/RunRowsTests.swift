import ForgeBusProtocol
import Testing

@testable import forgebus

@Suite("What a terminal shows of a run")
struct RunRowsTests {
    var rows = RunRows()

    func text(_ row: RunRows.Row?, at now: Duration, columns: Int = 80, hasColours: Bool = false) -> String? {
        row?.drawn(at: now, columns: columns, hasColours: hasColours)
    }

    @Test("is the action whose turn it is, for how long, and its end stays")
    mutating func course() {
        #expect(rows.add(.started(action: "build"), at: .seconds(1)) == nil)
        #expect(text(rows.current, at: .milliseconds(1_250)) == "▸ build               0.2 s     ")
        let ended = rows.add(.finished(action: "build", .completed), at: .seconds(4))
        #expect(text(ended, at: .seconds(9)) == "✓ build               3.0 s     ")
        #expect(rows.current == nil)
        #expect(rows.ended == ["build"])
    }

    @Test("says what an action waits for, and counts on from its start")
    mutating func waiting() {
        _ = rows.add(.started(action: "approve"), at: .zero)
        _ = rows.add(.waiting(action: "approve", signal: "deploy.1"), at: .seconds(1))
        #expect(text(rows.current, at: .seconds(150)) == "◦ approve             2 min 30 s for deploy.1")
        _ = rows.add(.resumed(action: "approve", signal: "deploy.1"), at: .seconds(151))
        #expect(rows.current?.change.mark == .running)
        let ended = rows.add(.finished(action: "approve", .failed("rejected: no")), at: .seconds(152))
        #expect(text(ended, at: .seconds(152)) == "✗ approve             2 min 32 s rejected: no")
    }

    @Test("counts down to the next attempt, which then runs")
    mutating func retrying() {
        _ = rows.add(.started(action: "flap"), at: .zero)
        _ = rows.add(.retrying(action: "flap", attempt: 2, after: .seconds(2)), at: .seconds(1))
        #expect(text(rows.current, at: .seconds(2)) == "↻ flap                2.0 s     attempt 2 in 1.0 s")
        #expect(text(rows.current, at: .seconds(3)) == "▸ flap                3.0 s     attempt 2")
    }

    @Test("begins in the middle of a run that was attached to")
    mutating func attached() {
        _ = rows.add(.parked(action: "print", reason: "out of paper"), at: .seconds(1))
        #expect(
            text(rows.current, at: .seconds(1))
                == "‖ print               0.0 s     parked: out of paper"
        )
        _ = rows.add(.redriven(action: "print"), at: .seconds(2))
        #expect(rows.current?.change.mark == .running)
        #expect(text(rows.add(.finished(action: "other", .skipped), at: .seconds(2)), at: .seconds(2))?.first == "–")
    }

    @Test("fits in one row, whatever a reason holds")
    mutating func width() throws {
        _ = rows.add(
            .parked(action: "a", reason: "one\ntwo \u{1B}[2J" + String(repeating: "x", count: 200)),
            at: .zero
        )
        let plain = try #require(text(rows.current, at: .zero, columns: 60))
        #expect(plain.count == 59)
        #expect(plain.hasPrefix("‖ a                   0.0 s     parked: one\\ntwo \\u{1b}[2Jx"))
        let coloured = try #require(text(rows.current, at: .zero, columns: 60, hasColours: true))
        #expect(coloured == "\u{1B}[33m‖\u{1B}[0m" + plain.dropFirst())
    }
}
