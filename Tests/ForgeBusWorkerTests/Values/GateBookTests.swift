import ForgeBusProtocol
import ForgeBusStore
import Testing

@testable import ForgeBusWorker

@Suite("A gate that waits")
struct WaitingGateTests {
    private var book = BookUnderTest()

    @Test("is decided by the first decision, and its waiter gets it")
    mutating func delivered() {
        #expect(book.open(waiter: 4) == "waits")
        #expect(book.complete("s", #"{"ok":true}"#) == #"delivered, 4 gets approved {"ok":true}"#)
        #expect(book.book.waiting.count == 0)
    }

    @Test("approved without a value is approved with null")
    mutating func noValue() {
        #expect(book.open() == "waits")
        #expect(book.complete() == "delivered, 1 gets approved null")
    }

    @Test("is rejected with its reason")
    mutating func rejected() {
        #expect(book.open() == "waits")
        #expect(book.reject("s", "not on a Friday") == "delivered, 1 gets rejected not on a Friday")
    }

    @Test("belongs to its owner: another one may not have its id, before or after the decision")
    mutating func taken() {
        #expect(book.open(owner: .action("run-1", "approve")) == "waits")
        let taken = #"taken by the action "approve" of the run run-1"#
        #expect(book.open(owner: .action("run-1", "other"), waiter: 2) == taken)
        #expect(book.open(owner: .action("run-2", "approve"), waiter: 2) == taken)
        _ = book.complete()
        #expect(book.open(owner: .process("x"), waiter: 2) == taken)
    }

    @Test("opened again by its owner waits on, in place of the wait before")
    mutating func again() {
        #expect(book.open(waiter: 1) == "waits")
        #expect(book.open(waiter: 2) == "waits in place of 1")
        #expect(book.book.waiting.count == 1)
        #expect(!book.book.isWaiting("s", WaiterID(number: 1)))
        #expect(book.book.isWaiting("s", WaiterID(number: 2)))
        #expect(book.end(waiter: 1, as: .expired) == nil, "the deadline of the wait before is nobody's")
        #expect(book.complete() == "delivered, 2 gets approved null")
    }

    @Test("finds no room when too many wait, and finds some when one of them is decided")
    mutating func limit() {
        var limits = WorkerLimits()
        limits.waitingSignals = 2
        book = BookUnderTest(limits: limits)
        #expect(book.open("a") == "waits")
        #expect(book.open("b") == "waits")
        #expect(book.open("c") == "full")
        #expect(book.open("a", waiter: 9) == "waits in place of 1", "it has its place already")
        _ = book.complete("a")
        #expect(book.open("c") == "waits")
    }

    @Test("is listed while it waits")
    mutating func listed() {
        #expect(book.open("a") == "waits")
        #expect(book.open("b", .signal) == "waits")
        #expect(Set(book.book.waiting.order.names) == ["a", "b"])
        _ = book.complete("a")
        #expect(book.book.waiting.order.names == ["b"])
        let wait = SignalRecord.Wait.test(.process("owner"), isGate: false)
        #expect(book.record(of: "b") == SignalRecord(signal: "b", state: .waiting(wait, deadline: nil)))
    }
}

@Suite("A gate that is decided")
struct DecidedGateTests {
    private var book = BookUnderTest()

    @Test("takes no value and null for the same, sent early or late", arguments: [("", "null"), ("null", "")])
    mutating func noValue(first: String, second: String) {
        #expect(book.complete("s", first).hasPrefix("buffered"))
        #expect(book.complete("s", second) == "duplicate")
        #expect(book.complete("s", "0").hasPrefix("conflict"))
        #expect(book.open("s") == "decided approved null")
        #expect(book.complete("s", second, by: "bob") == "duplicate")
        #expect(book.complete("s", "0", by: "bob").hasPrefix("conflict"))
    }

    @Test("calls the same decision a duplicate and another one a conflict, and never changes")
    mutating func late() {
        _ = book.open()
        _ = book.complete("s", "1", by: "ada")
        book.pass(.seconds(5))
        #expect(book.complete("s", "1", by: "bob") == "duplicate")
        let conflict = "conflict with approved by ada at 1000"
        #expect(book.complete("s", "1.0", by: "bob") == conflict, "values are compared byte by byte")
        #expect(book.complete("s", "", by: "ada") == conflict)
        #expect(book.reject("s", "no", by: "bob") == conflict)
        #expect(book.open() == "decided approved 1")
    }

    @Test("rejected calls another reason a conflict")
    mutating func rejected() {
        _ = book.open()
        _ = book.reject("s", "no")
        #expect(book.reject("s", "no") == "duplicate")
        #expect(book.reject("s", "never") == "conflict with rejected by ada at 1000")
        #expect(book.complete() == "conflict with rejected by ada at 1000")
    }

    @Test("tells its owner again what stands, without asking again")
    mutating func reopened() {
        _ = book.open()
        _ = book.reject("s", "no")
        #expect(book.open(waiter: 2) == "decided rejected no")
        #expect(book.book.waiting.count == 0)
    }

    @Test("is forgotten after its retention, and its id is free then")
    mutating func forgotten() {
        _ = book.open()
        _ = book.complete()
        #expect(book.book.ended.nextExpiry == book.now.advanced(by: .seconds(3600)))
        book.pass(.seconds(3599))
        #expect(book.forget().isEmpty)
        book.pass(.seconds(1))
        #expect(book.forget() == ["s"])
        #expect(book.book.ended.nextExpiry == nil)
        #expect(book.record(of: "s") == nil)
        #expect(book.open(owner: .process("other")) == "waits")
    }

    @Test("is kept with who decided it")
    mutating func record() {
        _ = book.open()
        _ = book.reject("s", "no", by: "bob")
        let wait = SignalRecord.Wait.test(.process("owner"), isGate: true)
        let ending = SignalRecord.Ending.decided(.rejected(reason: "no"), by: "bob", via: nil, unixMilliseconds: 1_000)
        let state = SignalRecord.State.settled(wait, ending, until: 3_601_000)
        #expect(book.record(of: "s") == SignalRecord(signal: "s", state: state))
    }
}

@Suite("A gate that ended undecided")
struct UndecidedGateTests {
    private var book = BookUnderTest()

    @Test("says expired when its deadline passed first")
    mutating func expired() {
        _ = book.open(owner: .action("run-1", "approve"))
        #expect(book.end(as: .expired) == .action("run-1", "approve"))
        #expect(book.complete() == "expired")
        #expect(book.reject() == "expired")
        #expect(book.open(owner: .action("run-1", "approve"), waiter: 2) == "decided expired")
        let wait = SignalRecord.Wait.test(.action("run-1", "approve"), isGate: true)
        #expect(book.record(of: "s")?.state == .settled(wait, .expired, until: 3_601_000))
    }

    @Test("says closed and why when it was withdrawn")
    mutating func closed() {
        _ = book.open()
        #expect(book.end(as: .closed(why: "its run ended")) == .process("owner"))
        #expect(book.complete() == "closed: its run ended")
        #expect(book.reject() == "closed: its run ended")
        #expect(book.open() == "decided closed")
        #expect(book.book.waiting.count == 0)
    }

    @Test("was not decided already, and not by another wait")
    mutating func tooLate() {
        #expect(book.end(as: .expired) == nil, "nobody waits")
        _ = book.open()
        #expect(book.end(waiter: 2, as: .expired) == nil)
        _ = book.complete()
        #expect(book.end(as: .expired) == nil)
        #expect(book.open() == "decided approved null", "the decision stands")
    }
}

@Suite("A plain signal")
struct PlainSignalTests {
    private var book = BookUnderTest()

    @Test("can only be completed: a rejection is refused and it waits on")
    mutating func notRejectable() {
        #expect(book.open("s", .signal) == "waits")
        #expect(book.reject() == "not rejectable")
        #expect(book.book.waiting.count == 1)
        #expect(book.complete() == "delivered, 1 gets approved null")
    }

    @Test("that was completed calls a rejection a conflict")
    mutating func lateRejection() {
        _ = book.open("s", .signal)
        _ = book.complete()
        #expect(book.reject() == "conflict with approved by ada at 1000")
    }
}

extension SignalRecord.Wait {
    /// A wait that anybody may end.
    fileprivate static func test(_ owner: SignalRecord.Owner, isGate: Bool) -> SignalRecord.Wait {
        SignalRecord.Wait(
            owner: owner,
            isGate: isGate,
            rule: .anybody,
            requester: nil,
            causers: [],
            message: nil,
            opened: 1_000,
            barred: [],
            isEscalated: false,
            votes: []
        )
    }
}
