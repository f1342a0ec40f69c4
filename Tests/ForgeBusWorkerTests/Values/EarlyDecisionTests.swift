import ForgeBusProtocol
import ForgeBusStore
import Scorecard
import Testing

@testable import ForgeBusWorker

@Suite("A decision before its signal", .scorecard(24))
struct EarlyDecisionTests {
    private var book = BookUnderTest()

    @Test("is buffered, and decides the signal when that opens")
    mutating func buffered() {
        #expect(book.complete("s", "1", keep: .seconds(5)) == "buffered for 5000")
        #expect(book.open() == "decided approved 1")
        #expect(book.book.waiting.count == 0)
        #expect(book.complete("s", "1", by: "bob") == "duplicate")
        #expect(book.reject() == "conflict with approved by ada at 1000")
    }

    @Test("is one for each principal: the same again is a duplicate, another a conflict")
    mutating func onePerPrincipal() {
        #expect(book.complete("s", "1") == "buffered for 60000")
        #expect(book.complete("s", "1") == "duplicate")
        #expect(book.complete("s", "2") == "conflict with approved by ada at 1000")
        #expect(book.reject() == "conflict with approved by ada at 1000")
        #expect(book.reject("s", "no", by: "bob") == "buffered for 60000")
        #expect(book.open() == "decided approved 1", "the first wins")
    }

    @Test("that is not to be kept is unknown and leaves nothing")
    mutating func notKept() {
        #expect(book.complete(keep: .zero) == "unknown")
        #expect(book.record(of: "s") == nil)
        #expect(book.open() == "waits")
    }

    @Test("is kept no longer than it was to be")
    mutating func expiry() {
        _ = book.complete("s", "1", by: "ada", keep: .seconds(5))
        _ = book.reject("s", "no", by: "bob", keep: .seconds(9))
        book.pass(.seconds(5))
        #expect(book.dropEarly() == false, "another is kept still")
        #expect(book.book.keepsEarly("s"))
        #expect(book.open() == "decided rejected no")
    }

    @Test("whose time is over does not decide, though nobody dropped it yet")
    mutating func overdue() {
        _ = book.complete("s", "1", keep: .seconds(5))
        book.pass(.seconds(5))
        #expect(book.open() == "waits")
    }

    @Test("whose time is over makes room for another of its principal")
    mutating func again() {
        _ = book.complete("s", "1", keep: .seconds(5))
        book.pass(.seconds(5))
        #expect(book.reject("s", "no") == "buffered for 60000")
        #expect(book.open() == "decided rejected no")
    }

    @Test("that rejects is dropped when a plain signal opens, and one that completes is taken")
    mutating func plainSignal() {
        _ = book.reject("s", "no", by: "ada")
        _ = book.complete("s", "1", by: "bob")
        #expect(book.open("s", .signal) == "decided approved null")
        _ = book.reject("t", "no")
        #expect(book.open("t", .signal) == "waits")
    }

    @Test("that rejects stays where a plain signal finds no room to wait")
    mutating func noRoom() {
        var limits = WorkerLimits()
        limits.waitingSignals = 0
        book = BookUnderTest(limits: limits)
        _ = book.reject()
        #expect(book.open("s", .signal) == "full")
        #expect(book.book.keepsEarly("s"))
        #expect(book.open() == "decided rejected ")
    }

    @Test("is recorded with who sent it")
    mutating func record() {
        _ = book.complete("s", "1", by: "ada")
        let early = SignalRecord.Early(
            principal: "ada",
            via: nil,
            outcome: .approved(value: Array("1".utf8)),
            unixMilliseconds: 1_000,
            until: 61_000,
            isAsked: true
        )
        #expect(book.record(of: "s") == SignalRecord(signal: "s", state: .early([early])))
        book.pass(.seconds(60))
        #expect(book.dropEarly() == true)
        #expect(book.record(of: "s") == nil)
    }
}

@Suite("A decision before its gate", .scorecard(24))
struct EarlyGateTests {
    private var book = BookUnderTest(gates: ["deploy.*.approve"])

    @Test("is unknown unless its sender asks for keeping, and leaves nothing")
    mutating func unasked() {
        #expect(book.complete("deploy.42.approve", "1", keep: nil) == "unknown")
        #expect(book.reject("deploy.42.approve", "no", keep: nil) == "unknown")
        #expect(book.record(of: "deploy.42.approve") == nil)
        #expect(book.open("deploy.42.approve") == "waits")
    }

    @Test("is kept if its sender asks for that, and decides the gate")
    mutating func asked() {
        #expect(book.complete("deploy.42.approve", "1", keep: .seconds(5)) == "buffered for 5000")
        #expect(book.complete("deploy.42.approve", "1", keep: nil) == "duplicate", "it is kept already")
        #expect(book.open("deploy.42.approve") == "decided approved 1")
    }

    @Test("under an id of no gate's template is kept for a signal, and no gate uses it")
    mutating func elsewhere() {
        #expect(book.complete("s", "1", keep: nil) == "buffered for 86400000")
        #expect(book.open("s", .gate) == "waits")
        #expect(book.complete("t", "1", keep: nil) == "buffered for 86400000")
        #expect(book.open("t", .signal) == "decided approved null")
    }

    @Test("is kept for a gate from when its sender asks for that")
    mutating func askedLater() {
        #expect(book.complete("s", "1", keep: nil) == "buffered for 86400000")
        #expect(book.complete("s", "2", keep: .seconds(5)) == "conflict with approved by ada at 1000")
        #expect(book.complete("s", "1", keep: .seconds(5)) == "buffered for 5000")
        #expect(book.complete("s", "1", keep: .seconds(9)) == "duplicate")
        #expect(book.open("s", .gate) == "decided approved 1")
    }

    @Test("that rejects is unknown under any id, unless its sender asks for keeping")
    mutating func rejected() {
        #expect(book.reject("s", keep: nil) == "unknown")
        #expect(book.record(of: "s") == nil)
    }

    @Test("yields to one of another principal that asked for keeping")
    mutating func others() {
        _ = book.complete("s", "1", by: "ada", keep: nil)
        _ = book.complete("s", "2", by: "bob", keep: .seconds(5))
        #expect(book.open("s", .gate) == "decided approved 2")
    }

    @Test("is used by one gate, once")
    mutating func once() {
        _ = book.complete("s", "1")
        #expect(book.open("s", owner: .process("first")) == "decided approved 1")
        let first = "code in the worker's process, named \"first\""
        #expect(book.open("s", owner: .process("second"), waiter: 2) == "taken by \(first)")
        book.pass(.seconds(3600))
        _ = book.forget()
        #expect(book.open("s", owner: .process("second"), waiter: 2) == "waits")
    }
}

@Suite("Withdrawing an early decision", .scorecard(24))
struct WithdrawalTests {
    private var book = BookUnderTest()

    @Test("leaves nothing for a gate that opens")
    mutating func withdrawn() {
        _ = book.complete()
        #expect(book.withdraw() == .withdrawn)
        #expect(book.record(of: "s") == nil)
        #expect(book.withdraw() == .nothing)
        #expect(book.open() == "waits")
        #expect(book.withdraw() == .nothing)
    }

    @Test("concerns only the sender's own decision")
    mutating func own() {
        _ = book.complete("s", "1", by: "ada")
        #expect(book.withdraw(by: "bob") == .nothing)
        _ = book.reject("s", "no", by: "bob")
        #expect(book.withdraw(by: "ada") == .withdrawn)
        #expect(book.open() == "decided rejected no")
    }

    @Test("makes room for another decision of the principal")
    mutating func again() {
        var limits = WorkerLimits()
        limits.earlyDecisionsPerPrincipal = 1
        book = BookUnderTest(limits: limits)
        _ = book.complete("s", "1")
        _ = book.withdraw()
        #expect(book.reject("s", "no") == "buffered for 60000")
        #expect(book.open() == "decided rejected no")
    }

    @Test("comes too late for a signal that is decided, not for one that ended undecided")
    mutating func tooLate() {
        _ = book.complete()
        _ = book.open()
        #expect(book.withdraw() == .decided)
        #expect(book.withdraw(by: "bob") == .decided)
        _ = book.open("t")
        _ = book.end("t", as: .expired)
        #expect(book.withdraw("t") == .nothing)
    }

    @Test("does not show a sender that may not decide the gate whether it is decided")
    mutating func forbidden() {
        _ = book.open(rule: GateRule(allowed: ["ada"]))
        _ = book.complete("s", by: "ada")
        #expect(book.withdraw(by: "bob") == .nothing)
        #expect(book.withdraw(by: "ada") == .decided)
    }

    @Test("finds no decision whose time is over")
    mutating func overdue() {
        _ = book.complete("s", "1", keep: .seconds(5))
        book.pass(.seconds(5))
        #expect(book.withdraw() == .nothing)
    }
}

@Suite("The bounds of early decisions")
struct EarlyLimitTests {
    private func book(_ change: (inout WorkerLimits) -> Void) -> BookUnderTest {
        var limits = WorkerLimits()
        change(&limits)
        return BookUnderTest(limits: limits)
    }

    @Test("hold for each principal by itself")
    func perPrincipal() {
        var book = book { $0.earlyDecisionsPerPrincipal = 1 }
        #expect(book.complete("a", by: "ada") == "buffered for 60000")
        #expect(book.complete("b", by: "ada") == "busy early")
        #expect(book.complete("b", by: "bob") == "buffered for 60000")
        #expect(book.complete("a", by: "ada") == "duplicate", "an answer that needs no room is given")
        _ = book.open("a")
        #expect(book.complete("c", by: "ada") == "buffered for 60000")
    }

    @Test("hold for all together")
    func total() {
        var book = book { $0.earlyDecisions = 2 }
        #expect(book.complete("a", by: "ada") == "buffered for 60000")
        #expect(book.complete("a", by: "bob") == "buffered for 60000")
        #expect(book.complete("b", by: "eve") == "busy early")
        book.pass(.seconds(60))
        #expect(book.dropEarly("a") == true)
        #expect(book.complete("b", by: "eve") == "buffered for 60000")
    }

    @Test("hold for the bytes they take")
    func size() {
        var book = book { $0.earlyDecisionsSizeInBytes = 200 }
        let value = "\"" + String(repeating: "x", count: 98) + "\""
        #expect(book.complete("a", value) == "buffered for 60000")
        #expect(book.complete("b", value) == "busy early")
        #expect(book.open("a").prefix(7) == "decided")
        #expect(book.complete("b", value) == "buffered for 60000")
    }

    @Test("do not count what is over")
    func expired() {
        var book = book { $0.earlyDecisions = 1 }
        #expect(book.complete("a", keep: .seconds(1)) == "buffered for 1000")
        book.pass(.seconds(1))
        _ = book.dropEarly("a")
        _ = book.dropEarly("a")
        #expect(book.complete("b") == "buffered for 60000")
        #expect(book.complete("c") == "busy early")
    }
}
