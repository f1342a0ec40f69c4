import ForgeBusProtocol
import Testing
import ZeroMQ

@testable import ForgeBusWorker

@Suite("Answers that wait for room")
final class AnswerLinesTests {
    private var lines = AnswerLines(bytes: 10_000, tellsPrincipalsApart: true)
    private let start = ContinuousClock.now
    private var dropped = AnswerLines.Dropped()

    private func caller(_ number: Int, _ name: String = "ada") -> Caller { Caller(.numbered(number), .init(name)) }

    private func add(
        _ name: String,
        _ size: Int = 100,
        for caller: Caller,
        _ account: AnswerLines.Account = .told,
        at time: Duration = .zero
    ) -> Bool {
        let message = Message([Array(name.utf8)])
        let entry = AnswerLines.Entry(
            caller: caller,
            content: .message(message),
            isFirst: true,
            account: account,
            size: size
        )
        return lines.add(entry, at: start + time, dropping: &dropped)
    }

    private func refuse(_ id: String, _ caller: Caller, at time: Duration = .zero) throws -> Bool {
        lines.refuse(try RequestID(id), of: caller, at: start + time, dropping: &dropped)
    }

    /// What leaves the line of a connection that has room for so many answers.
    private func leave(_ number: Int, room: Int = .max, as outcome: AnswerLines.Outcome = .sent) -> [String] {
        var left: [String] = []
        lines.retry(
            .numbered(number),
            at: start,
            { attempt in
                guard left.count < room else { return .full }
                left.append(attempt.text)
                return outcome
            },
            sent: { _ in },
            dropping: &dropped
        )
        return left
    }

    @Test("leave in their order, refusals behind them, as far as there is room")
    func order() throws {
        for name in ["a", "b", "c"] { #expect(add(name, for: caller(1))) }
        #expect(try refuse("r1", caller(1)))
        #expect(try refuse("r2", caller(1)))
        #expect(leave(1, room: 2) == ["a", "b"])
        #expect(!lines.isClear(.numbered(1)))
        #expect(leave(1) == ["c", "busy r1", "busy r2"])
        #expect(lines.isClear(.numbered(1)))
        #expect(lines.isEmpty)
        #expect(lines.sizeInBytes == 0)
    }

    @Test(
        "take a quarter of what is free for one connection, half of it for one principal, and leave room for the next"
    )
    func shares() {
        var number = 0
        /// How much finds room on a new connection of a principal.
        func fill(_ name: String) -> Int {
            number += 1
            var size = 0
            while add("x", for: caller(number, name)) { size += 100 }
            return size
        }
        #expect(fill("ada") == 2_000)
        #expect((fill("ada") + fill("ada")) < 3_400, "a third of all is what one principal gets")
        let left = 10_000 - lines.sizeInBytes
        #expect(fill("bob") >= left / 5 - 100)
        for name in ["c", "d", "e"] { #expect(fill(name) > 0) }
        #expect(lines.sizeInBytes < 10_000)
        #expect(dropped.entries.isEmpty, "nobody has been stuck for long")
    }

    @Test("are dropped with the line that has been stuck longest, where another needs the room; and only then")
    func stuck() {
        while add("x", for: caller(1, "eve")) {}
        while add("y", for: caller(2, "mallory"), at: .milliseconds(400)) {}
        #expect(add("z", 2_000, for: caller(3), at: .milliseconds(1_200)))
        #expect(Set(dropped.entries.map(\.caller)) == [caller(1, "eve")])
        #expect(lines.isDeaf(.numbered(1)))
        #expect(!lines.isDeaf(.numbered(2)))
        #expect(!add("x", for: caller(1, "eve"), at: .milliseconds(1_500)), "it does not read, and gets no other room")
        lines.reads(.numbered(1))
        #expect(add("x", for: caller(1, "eve"), at: .milliseconds(1_600)))
    }

    @Test("are not dropped for one that has been stuck longer itself")
    func longer() {
        while add("x", for: caller(1, "eve")) {}
        #expect(add("y", for: caller(2, "bob"), at: .milliseconds(10)))
        #expect(!add("x", for: caller(1, "eve"), at: .seconds(60)))
        #expect(dropped.entries.isEmpty)
    }

    @Test("are one caller's: those for another that was on the connection before are dropped, and count no longer")
    func another() throws {
        #expect(add("a", for: caller(1, "ada")))
        #expect(try refuse("r", caller(1, "ada")))
        #expect(add("b", for: caller(1, "eve")))
        #expect(dropped.entries.map(\.caller) == [caller(1, "ada")])
        #expect(dropped.refusals == 1)
        let unknown = Caller(unknown: .numbered(1))
        #expect(!add("c", for: unknown))
        #expect(leave(1) == ["b"])
        #expect(lines.sizeInBytes == 0)
        while add("x", for: caller(2, "ada")) {}
        #expect(lines.sizeInBytes == 2_000, "nothing of ada's is counted any more")
    }

    @Test("of a connection that was dropped leave no room for a second large one in its queue")
    func stuckWithLarge() {
        lines.awaitDeparture(for: caller(1), at: start)
        while add("x", for: caller(1)) {}
        #expect(add("z", 2_100, for: caller(2, "bob"), at: .milliseconds(1_200)))
        #expect(!dropped.entries.isEmpty)
        #expect(!lines.isClear(.numbered(1)), "what comes now is neither kept nor handed over")
        #expect(!add("y", for: caller(1), at: .milliseconds(400)))
        lines.departed(.numbered(1))
        #expect(lines.isClear(.numbered(1)))
    }

    @Test("that runs and decisions are owed, and refusals, have room of their own")
    func reserve() throws {
        while add("x", for: caller(1)) {}
        #expect(add("accepted", for: caller(1), .reserved))
        #expect(try refuse("r", caller(1)))
        var refusals = 1
        while try refuse("r\(refusals)", caller(1)) { refusals += 1 }
        #expect(refusals > 300, "an id takes little")
        #expect(lines.sizeInBytes < 15_000)
        #expect(leave(1).count { $0.hasPrefix("busy") } == refusals)
        #expect(lines.sizeInBytes == 0)
    }

    @Test("wait for the departure of a large one, and leave behind it")
    func large() {
        lines.awaitDeparture(for: caller(1), at: start)
        #expect(add("a", for: caller(1)))
        #expect(lines.due == nil)
        lines.departed(.numbered(1))
        #expect(lines.due != nil)
        #expect(add("b", for: caller(1)))
        #expect(leave(1, as: .sentLarge) == ["a"], "that one was large, too")
        #expect(lines.due == nil)
        lines.departed(.numbered(1))
        #expect(leave(1) == ["b"])
    }

    @Test("of a connection that is gone are given up, and those for nobody any more are passed over")
    func gone() throws {
        for name in ["a", "b"] { #expect(add(name, for: caller(1))) }
        for id in ["r", "s"] { #expect(try refuse(id, caller(1))) }
        #expect(leave(1, as: .gone) == ["a"])
        #expect(dropped.entries.count == 2)
        #expect(dropped.refusals == 2)
        #expect(lines.isEmpty)
        #expect(add("c", for: caller(2)))
        #expect(try refuse("t", caller(2)))
        #expect(leave(2, as: .dropped) == ["c", "busy t"])
        #expect(dropped.entries.count == 3)
        #expect(dropped.refusals == 3)
        #expect(lines.sizeInBytes == 0)
    }
}

extension AnswerLines.Attempt {
    fileprivate var text: String {
        switch self {
        case .entry(let entry):
            if case .message(let message) = entry.content { String(decoding: message[0], as: UTF8.self) } else { "?" }
        case .refusal(let id, _): "busy \(id)"
        }
    }
}
