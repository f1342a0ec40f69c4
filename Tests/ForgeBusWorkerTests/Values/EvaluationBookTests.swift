import ForgeBusProtocol
import Testing

@testable import ForgeBusWorker

@Suite("The evaluation book")
struct EvaluationBookTests {
    private var book = Evaluations()

    private func part(_ monitor: Name) -> Evaluation.Monitor {
        Evaluation.Monitor(monitor: monitor, cycle: 1, state: .ran, actions: [])
    }

    private mutating func open(_ monitors: [Name], for request: String = "a") throws -> EvaluationID {
        book.open(try RequestID(request), for: Caller(.numbered(1), .local), .local, topic: "t", monitors: monitors)
    }

    @Test("gives the answer with the last monitor's part, and once")
    mutating func complete() throws {
        let id = try open(["m", "n"])
        #expect(book.add(part("n"), to: id) == nil)
        #expect(book.count == 1)
        let complete = book.add(part("m"), to: id)
        let owed = try #require(complete)
        #expect(owed.answers.map(\.monitor) == ["n", "m"])
        #expect(owed.pending.isEmpty)
        #expect(owed.request == (try RequestID("a")))
        #expect(book.count == 0)
        #expect(book.add(part("m"), to: id) == nil)
    }

    @Test("keeps two answers apart")
    mutating func apart() throws {
        let first = try open(["m"])
        let second = try open(["m"], for: "b")
        #expect(book.add(part("m"), to: second)?.request.text == "b")
        #expect(book.add(part("m"), to: first)?.request.text == "a")
    }

    @Test("names at its deadline who is pending, and gives nothing afterwards")
    mutating func expiry() throws {
        let id = try open(["m", "n"])
        _ = book.add(part("m"), to: id)
        #expect(book.isOwed(id))
        let expired = book.expire(id)
        let owed = try #require(expired)
        #expect(owed.answers.map(\.monitor) == ["m"])
        #expect(owed.pending == ["n"])
        #expect(!book.isOwed(id))
        #expect(book.expire(id) == nil)
        #expect(book.add(part("n"), to: id) == nil)
    }

    @Test("gives everything that is owed in the order in which it was asked for")
    mutating func all() throws {
        for request in ["a", "b", "c"] { _ = try open(["m"], for: request) }
        #expect(book.expireAll().map(\.request.text) == ["a", "b", "c"])
        #expect(book.count == 0)
    }
}
