import ForgeBusProtocol
import Testing

@testable import ForgeBusClient

@Suite("The window of a client's requests")
struct WindowTests {
    private let assumed = Window.assumed - Window.reserve

    @Test("admits a number that is assumed, and is then worth a HELLO, once")
    func assumedNumber() {
        var window = Window()
        #expect(window.fill() == assumed)
        #expect(window.isWorthAsking)
        window.asked()
        #expect(!window.isWorthAsking)
        #expect(!window.admits(.random()))
    }

    @Test("admits what the worker tells, but for a reserve, and at least one")
    func toldNumber() {
        for (number, room) in [(4096, 4096 - Window.reserve), (300, 300 - Window.reserve), (3, 1), (0, 1)] {
            var window = Window()
            window.asked()
            #expect(window.heard(.welcome(outstanding: number), for: window.hello) == true)
            #expect(window.fill() == room)
            #expect(!window.isWorthAsking)
        }
    }

    @Test("has no end where the worker tells no number, or knows no HELLO")
    func olderWorker() {
        for answer in [.welcome(outstanding: nil), .refused(.unknownCommand)] as [Answer.Content] {
            var window = Window()
            window.asked()
            #expect(window.heard(answer, for: window.hello) == true)
            for _ in 0..<10_000 { window.sent(.random()) }
            #expect(window.admits(.random()))
        }
    }

    @Test("stays as it was where the HELLO is refused for now, or somebody else is refused for good")
    func refused() {
        var window = Window()
        window.asked()
        let other = RequestID.random()
        window.sent(other)
        #expect(window.heard(.refused(.busy), for: window.hello) == true)
        #expect(window.heard(.refused(.unknownCommand), for: other) == true)
        #expect(window.fill() == assumed)
        #expect(!window.isWorthAsking)
    }

    @Test("is left with the first answer, and not with one that comes later")
    func firstAnswers() {
        let first: [Answer.Content] = [
            .taken, .begun(), .refused(.busy), .refused(.badBody), .welcome(outstanding: 300), .shown([:]),
            .page(Page(items: [])), .pong(Pong(worker: "w", state: .ready, body: [])), .ok(StateReport(.unwatched)),
        ]
        for answer in first {
            var window = Window()
            let id = RequestID.random()
            window.sent(id)
            #expect(window.heard(answer, for: id) == true)
            #expect(!window.contains(id))
            #expect(window.heard(answer, for: id) == false, "nothing more has left")
        }
        for answer in [.completed(), .change(1), .event(1), .evaluated(Evaluation(monitors: []))] as [Answer.Content] {
            var window = Window()
            let id = RequestID.random()
            window.sent(id)
            #expect(window.heard(answer, for: id) == false)
            #expect(window.contains(id))
        }
    }

    @Test("counts what is sent again once, and lets it pass when it is full")
    func resent() {
        var window = Window()
        let id = RequestID.random()
        window.sent(id)
        #expect(window.fill() == assumed - 1)
        #expect(window.admits(id))
        window.sent(id)
        #expect(window.heard(.taken, for: id) == true)
        #expect(window.fill() == 1)
    }

    @Test("is left by a request that nobody waits for")
    func left() {
        var window = Window()
        let id = RequestID.random()
        window.sent(id)
        #expect(window.fill() == assumed - 1)
        #expect(window.ended(id) == true)
        #expect(window.ended(id) == false)
        #expect(window.fill() == 1)
    }

    @Test("has no place for what is answered after days")
    func answeredLate() throws {
        let run: Name = "run-1"
        func attach(_ patience: Duration?) -> Request.Command { .attach(AttachRequest(run: run, patience: patience)) }
        #expect(attach(.zero).isAnsweredAtOnce)
        #expect(!attach(nil).isAnsweredAtOnce)
        #expect(!attach(.seconds(1)).isAnsweredAtOnce)
        #expect(!Request.Command.watch(WatchRequest(">", credit: 1)).isAnsweredAtOnce)
        #expect(Request.Command.run(RunRequest(pipeline: "p")).isAnsweredAtOnce)
    }
}

extension Window {
    /// Sends as many as it admits.
    ///
    /// - Returns: How many those were.
    fileprivate mutating func fill() -> Int {
        for count in 0..<10_000 {
            let id = RequestID.random()
            guard admits(id) else { return count }
            sent(id)
        }
        return 10_000
    }
}
