import ForgeBusProtocol
import Testing

@testable import ForgeBusWorker

@Suite("What was sent to a decided gate")
struct SettledSignalTests {
    private static let long = "\"" + String(repeating: "x", count: 98) + "\""
    private var book = BookUnderTest()

    private mutating func decide(_ signal: Name, of run: Name, _ value: String = SettledSignalTests.long) {
        _ = book.open(signal, owner: .action(run, "approve"))
        #expect(book.complete(signal, value).hasPrefix("delivered"))
    }

    @Test("is kept whole while its run is unfinished, and as a digest then, with the same verdicts")
    mutating func runEnds() {
        decide("s", of: "r")
        #expect(book.book.ended.size == 100)
        #expect(book.open(owner: .action("r", "approve")).hasPrefix("decided approved"))
        book.digest(of: "other")
        #expect(book.book.ended.size == 100)
        book.digest(of: "r")
        #expect(book.book.ended.size == 0)
        #expect(book.complete("s", Self.long, by: "bob") == "duplicate")
        #expect(book.complete("s", Self.long + " ", by: "bob") == "conflict with approved by ada at 1000")
        #expect(book.reject("s", Self.long, by: "bob") == "conflict with approved by ada at 1000")
        #expect(book.book.state(of: "s") == .decided(.approved, by: "ada", owner: "r/approve"))
        #expect(book.record(of: "s") == nil)
        #expect(book.book.ended.byRun.isEmpty)
    }

    @Test("is kept as it is where it takes no more room than a digest")
    mutating func short() {
        decide("s", of: "r", "42")
        #expect(book.book.ended.size == 0)
        book.digest(of: "r")
        #expect(book.open(owner: .action("r", "approve")) == "decided approved 42")
        #expect(book.record(of: "s") != nil)
    }

    @Test("of the oldest becomes a digest where there is no more room, and nothing is refused")
    mutating func room() {
        var limits = WorkerLimits()
        limits.decidedSizeInBytes = 250
        book = BookUnderTest(limits: limits)
        for number in 1...5 { decide(Name(unchecked: "s\(number)"), of: Name(unchecked: "r\(number)")) }
        #expect(book.book.ended.size == 200)
        #expect(
            (1...5).map { book.record(of: Name(unchecked: "s\($0)")) != nil } == [
                false, false, false, true, true,
            ]
        )
        #expect(book.open("s5", owner: .action("r5", "approve")).hasPrefix("decided approved"))
        #expect(book.open("s1", owner: .action("r1", "approve")).hasPrefix("decided closed"))
        decide("s6", of: "r6", "\"" + String(repeating: "x", count: 1000) + "\"")
        #expect(book.book.ended.size == 1002, "the last one is kept, whatever its size")
        decide("s7", of: "r7")
        #expect(book.book.ended.size == 100)
    }

    @Test("is forgotten with its signal")
    mutating func forgotten() {
        decide("s", of: "r")
        book.pass(.seconds(3600))
        #expect(book.forget() == ["s"])
        #expect(book.book.ended.size == 0)
        #expect(book.book.ended.byRun.isEmpty)
        decide("s", of: "q")
        book.digest(of: "r")
        #expect(book.book.ended.size == 100)
    }
}
