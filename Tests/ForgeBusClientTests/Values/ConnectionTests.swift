import ForgeBusProtocol
import TestSupport
import Testing
import ZeroMQ

@testable import ForgeBusClient

@Suite("A client's connection")
struct ConnectionTests {
    private static let welcome = Welcome(
        worker: "w",
        state: .ready,
        durability: .fsynced,
        retention: .seconds(60),
        store: "a",
        limits: ["outstanding": 20]
    )

    @Test("to one of several endpoints lets nothing leave before the worker has said of which store it is")
    func greets() throws {
        var connection = Connection(endpoints: 2)
        let beginning = connection.handshakeSucceeded()
        guard case .greet(let hello) = beginning else { throw Missing("a HELLO in \(beginning)") }
        #expect(connection.offer(entry) == .wait)
        let (isGreeting, isOther) = (connection.isGreeting(hello), connection.isGreeting(.random()))
        #expect(isGreeting && !isOther)
        let before = connection.reach
        #expect(before == .nowhere)
        connection.greeted(Self.welcome)
        let (reach, isEstablished) = (connection.reach, connection.isEstablished)
        #expect(reach == .store("a") && isEstablished)
        let known = connection.permits(.store("a")), unsent = connection.permits(.nowhere)
        #expect(known && unsent)
        let other = connection.permits(.store("b")), unknown = connection.permits(.store(nil))
        #expect(!other && !unknown)
        // The number it told along with that.
        #expect(connection.fill() == 20 - Window.reserve)
    }

    @Test("to its one endpoint asks nobody, and sends again there")
    func alone() {
        var connection = Connection()
        _ = connection.handshakeSucceeded()
        let reach = connection.reach
        #expect(reach == .store(nil))
        let permits = connection.permits(reach)
        #expect(permits)
        let pause = connection.movesOn()
        #expect(pause == nil)
    }

    @Test("moves on to the next endpoint, and asks there anew")
    func movesOn() throws {
        var connection = Connection(endpoints: 2)
        _ = connection.handshakeSucceeded()
        connection.greeted(Self.welcome)
        let wasEstablished = connection.disconnected()
        #expect(wasEstablished)
        let first = connection.movesOn()
        #expect(first == .zero && connection.place == 1)
        let beginning = connection.handshakeSucceeded()
        guard case .greet = beginning else { throw Missing("a HELLO in \(beginning)") }
        let second = connection.movesOn()
        #expect(second == .milliseconds(100) && connection.place == 0)
        let isEstablished = connection.isEstablished
        #expect(!isEstablished)
    }

    @Test("comes back with pauses that grow while workers only greet, and at once after one that answers")
    func onlyGreets() {
        var connection = Connection(endpoints: 2)
        func pauses(_ count: Int, answered: Bool) -> [Duration?] {
            (0..<count).map { _ in
                _ = connection.handshakeSucceeded()
                connection.greeted(Self.welcome)
                if answered { connection.answered() }
                _ = connection.disconnected()
                return connection.movesOn()
            }
        }
        let growing: [Duration?] = [0, 100, 100, 200, 200].map { .milliseconds($0) }
        #expect(pauses(5, answered: false) == growing)
        #expect(pauses(3, answered: true) == [.zero, .zero, .zero])
    }

    private let entry = SendQueue.Entry(id: .random(), isCounted: true)

    @Test("lets nothing leave before its handshake succeeded, and then everything that waits")
    func established() {
        var connection = Connection()
        #expect(connection.offer(entry) == .wait)
        let beginning = connection.handshakeSucceeded()
        #expect(beginning == .sendEverything)
        #expect(connection.offer(entry) == .send(entry))
    }

    @Test("that is lost interrupts what is under way, once, and is then set up by libzmq")
    func lost() {
        var connection = Connection()
        _ = connection.handshakeSucceeded()
        let interrupts = [connection.disconnected(), connection.disconnected()]
        #expect(interrupts == [true, false])
        #expect(connection.offer(entry) == .wait)
        let connects = connection.wanted()
        #expect(!connects)
    }

    @Test("begins anew with an empty queue and another HELLO")
    func again() throws {
        var connection = Connection()
        var hellos: Set<RequestID> = []
        for _ in 0..<2 {
            _ = connection.handshakeSucceeded()
            let sent = connection.fill()
            #expect(sent == Window.assumed - Window.reserve)
            let step = connection.offer(entry)
            guard case .askForLimit(let hello) = step else { throw Missing("a HELLO in \(step)") }
            hellos.insert(hello)
            #expect(connection.queue { $0.asked() } == .wait)
            _ = connection.disconnected()
        }
        #expect(hellos.count == 2)
    }

    @Test("whose key is refused ends every request, and connects again when one begins")
    func refused() {
        var connection = Connection()
        let step = connection.handshakeFailed(.refused(status: 400))
        #expect(step == .endRequests)
        // libzmq says so for each handshake that fails.
        let interrupts = connection.disconnected()
        #expect(!interrupts)
        let connects = [connection.wanted(), connection.wanted()]
        #expect(connects == [true, false])
    }

    @Test("to one of several endpoints ends requests when all of them have refused its key, and not before")
    func refusedByAll() {
        var connection = Connection(endpoints: 2)
        func steps(_ failures: HandshakeFailure...) -> [Connection.FailureStep] {
            failures.map { failure in
                defer { _ = connection.movesOn() }
                return connection.handshakeFailed(failure)
            }
        }
        let refusal = HandshakeFailure.refused(status: 400)
        // The second is not there, and refuses nobody.
        #expect(steps(refusal, .ended(reason: "reset"), refusal, refusal) == [.wait, .wait, .wait, .endRequests])
        #expect(steps(refusal) == [.wait])
        _ = connection.handshakeSucceeded()
        #expect(steps(refusal) == [.wait])
        #expect(steps(.protocolError(number: 1)) == [.wait])
    }

    @Test(
        "whose handshake fails otherwise connects again later, where libzmq tries no more",
        arguments: [
            (HandshakeFailure.refused(status: 300), true), (.refused(status: 500), true),
            (.protocolError(number: 1), true), (.ended(reason: "reset"), false),
        ]
    )
    func failed(_ failure: HandshakeFailure, _ isFinal: Bool) {
        var connection = Connection()
        let step = connection.handshakeFailed(failure)
        #expect(step == (isFinal ? .reconnectLater : .wait))
        let connects = connection.wanted()
        #expect(connects == isFinal)
    }

    @Test("knows why the last handshake failed until one succeeds")
    func failure() {
        var connection = Connection()
        for failure in [HandshakeFailure.ended(reason: "reset"), .protocolError(number: 1)] {
            #expect(connection.handshakeFailure == nil)
            _ = connection.handshakeFailed(failure)
            _ = connection.disconnected()
            #expect(connection.handshakeFailure == failure)
            _ = connection.wanted()
            #expect(connection.handshakeFailure == failure)
            _ = connection.handshakeSucceeded()
        }
        _ = connection.disconnected()
        #expect(connection.handshakeFailure == nil)
    }

    @Test("that is closed stays closed, whatever happens")
    func closed() {
        var connection = Connection()
        _ = connection.handshakeSucceeded()
        connection.close()
        let beginning = connection.handshakeSucceeded()
        #expect(beginning == .nothing)
        let events = [connection.disconnected(), connection.wanted()]
        #expect(events == [false, false])
        let pause = connection.movesOn()
        #expect(pause == nil)
        let step = connection.handshakeFailed(.refused(status: 400))
        #expect(step == .wait)
        #expect(connection.offer(entry) == .wait)
        let (isClosed, isEstablished) = (connection.isClosed, connection.isEstablished)
        #expect(isClosed && !isEstablished)
    }
}

extension Connection {
    fileprivate mutating func offer(_ entry: SendQueue.Entry) -> SendQueue.Step { queue { $0.offered(entry) } }

    /// Sends as many requests as the window admits.
    ///
    /// - Returns: How many those were.
    fileprivate mutating func fill() -> Int {
        for count in 0..<10_000 {
            let entry = SendQueue.Entry(id: .random(), isCounted: true)
            guard offer(entry) == .send(entry) else {
                _ = queue { $0.ended(entry.id) }
                return count
            }
            _ = queue { $0.sent(entry) }
        }
        return 10_000
    }
}
