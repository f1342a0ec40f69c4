import Logging
import TestSupport
import Testing

@testable import ForgeBusWorker

@Suite("What goes wrong")
struct TroubleLogTests {
    private let lines = Record<String>()
    private let start = ContinuousClock.now

    @discardableResult
    private func tell(_ count: Int, _ log: inout TroubleLog, after seconds: Int) -> [Duration] {
        (0..<count).compactMap { _ in
            let trouble = Trouble.run("run-1", "p", state: .failed, reason: "no \"disk\"\nat all")
            return log.tell(trouble, at: start.advanced(by: .seconds(seconds))).map { $0 - start }
        }
    }

    @Test("is said in the log, some lines in a while, and then how many more there were")
    func bounded() {
        var log = TroubleLog(lines.logger)
        tell(2, &log, after: 0)
        #expect(lines.values.first == #"a run failed pipeline=p reason="no \"disk\"\u{a}at all" run=run-1"#)
        #expect(tell(1_000, &log, after: 9) == [.seconds(10)], "it says when to tell the rest")
        #expect(lines.values.count == 20)
        tell(1, &log, after: 10)
        #expect(lines.values.count == 22)
        #expect(lines.values[20].hasSuffix(" times=982"))
        tell(19, &log, after: 19)
        tell(1, &log, after: 20)
        #expect(lines.values.count == 42, "nothing was left out meanwhile")
        #expect(tell(25, &log, after: 21) == [.seconds(30)])
        log.flush()
        log.flush()
        #expect(lines.values.suffix(2).last?.hasSuffix(" times=6") == true)
        #expect(lines.values.count == 62)
    }
}
