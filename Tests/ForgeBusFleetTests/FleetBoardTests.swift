import ForgeBusFleet
import ForgeBusProtocol
import Testing
import ZeroMQ

/// A board of two workers whose clock and whose workers the test is.
private struct Played {
    typealias Effect = FleetBoard.Effect
    let start = ContinuousClock.now
    var now: ContinuousClock.Instant
    var board: FleetBoard
    /// The requests that wait for an answer, the latest last.
    var open: [(worker: Name, ask: FleetBoard.Ask)] = []
    var watched: [Name] = []

    init(_ names: [Name] = ["web-01", "web-02"], expecting: [Inventory.Expectation] = []) throws {
        let workers = try names.map { Inventory.Worker($0, at: try Endpoint("ipc:///tmp/\($0)"), key: nil) }
        now = start
        board = FleetBoard(Inventory(workers: workers, expectations: expecting), at: start)
    }

    mutating func take(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .follow: break
            case .watch(let name): watched.append(name)
            case .ask(let name, let ask): open.append((name, ask))
            }
        }
    }

    mutating func pass(_ time: Duration) {
        now += time
        take(board.tick(at: now))
    }

    mutating func connect(_ worker: Name) { take(board.connected(worker, at: now)) }

    /// The steps that the worker has been asked for and has not answered.
    func steps(_ worker: Name) -> [FleetBoard.Step] { open.filter { $0.worker == worker }.map(\.ask.step) }

    mutating func answer(_ worker: Name, _ step: FleetBoard.Step, _ content: Answer.Content) throws {
        let place = try #require(open.firstIndex { $0.worker == worker && $0.ask.step == step })
        let ask = open.remove(at: place).ask
        take(board.answered(worker, ask, content, at: now))
    }

    mutating func fail(_ worker: Name, _ step: FleetBoard.Step, _ handshake: HandshakeFailure? = nil) throws {
        let place = try #require(open.firstIndex { $0.worker == worker && $0.ask.step == step })
        let ask = open.remove(at: place).ask
        take(board.failed(worker, ask, BusError(.timeout, "", next: ""), handshake, at: now))
    }

    /// Lets the worker answer HELLO, LIST and PING as one whose monitors are these.
    mutating func greet(_ worker: Name, as name: String? = nil, features: [String] = ["last"], _ items: [MonitorItem])
        throws
    {
        connect(worker)
        let welcome = Welcome(
            worker: name ?? worker.text,
            state: .ready,
            durability: .fsynced,
            retention: .seconds(60),
            features: features,
            limits: [:]
        )
        try answer(worker, .greeting, .welcome(welcome))
        if name == nil { try list(worker, items) }
    }

    mutating func list(_ worker: Name, _ items: [MonitorItem]) throws {
        try answer(worker, .listing(after: nil), .page(Page(items: items.map(\.json))))
    }

    mutating func pong(_ worker: Name) throws {
        try answer(worker, .ping, .pong(Pong(worker: worker.text, state: .ready)))
    }

    /// One PING without an answer.
    mutating func missPing(_ worker: Name) throws {
        pass(.seconds(10))
        try fail(worker, .ping)
    }

    var states: [FleetState: Int] { board.summary(at: now).workers }
    var monitors: [FleetState: Int]? { board.summary(at: now).monitors["age"] }
}

private func age(_ began: Duration?, _ state: LastCycle.State = .ran, failing: Bool = false) -> MonitorItem {
    MonitorItem(
        "age",
        topics: ["policy.>"],
        state: .idle,
        cycles: 1,
        last: began.map { LastCycle(beganAgo: $0, took: .zero, state: state) },
        failure: failing ? MonitorItem.Failure(count: 1, unixMilliseconds: 0, reason: "no") : nil
    )
}

@Suite("A board of a fleet")
struct FleetBoardTests {
    @Test("has each worker in one state, from before the first answer on")
    func sums() throws {
        var played = try Played()
        #expect(played.states == [.notAsked: 2])
        played.pass(.zero)
        try played.greet("web-01", [age(.seconds(1))])
        #expect(played.states == [.notAsked: 1, .here: 1])
        #expect(played.monitors == [.ok: 1])
        #expect(played.watched == ["web-01"])
    }

    @Test("says that a worker is silent after three pings without an answer, and not before")
    func silent() throws {
        var played = try Played(["web-01"])
        played.pass(.zero)
        try played.greet("web-01", [age(.seconds(1))])
        try played.pong("web-01")
        try played.missPing("web-01")
        try played.missPing("web-01")
        #expect(played.states == [.here: 1])
        try played.missPing("web-01")
        #expect(played.states == [.silent: 1])
        #expect(played.monitors == [.silent: 1])
        #expect(played.board.summary(at: played.now).oldest.isEmpty)
    }

    @Test("asks a silent worker who it is when it answers one ping, and then knows it again")
    func back() throws {
        var played = try Played(["web-01"])
        played.pass(.zero)
        for _ in 1...3 {
            try played.fail("web-01", .ping)
            played.pass(.seconds(10))
        }
        #expect(played.states == [.silent: 1])
        try played.pong("web-01")
        #expect(played.states == [.silent: 1])
        try played.answer(
            "web-01",
            .greeting,
            .welcome(
                Welcome(
                    worker: "web-01",
                    state: .ready,
                    durability: .memory,
                    retention: .zero,
                    features: ["last"],
                    limits: [:]
                )
            )
        )
        #expect(played.states == [.here: 1])
        #expect(played.steps("web-01") == [.listing(after: nil)])
    }

    @Test("tells another worker, an unknown key, a wrong key and an old worker apart")
    func apart() throws {
        var played = try Played(["a", "b", "c", "d"])
        played.pass(.zero)
        try played.greet("a", as: "z", [])
        try played.fail("b", .ping, .refused(status: 400))
        try played.fail("c", .ping, .protocolError(number: 1))
        try played.greet("d", features: [], [age(nil)])
        #expect(played.states == [.wrongWorker: 1, .refused: 1, .wrongKey: 1, .tooOld: 1])
        #expect(played.steps("a") == [.ping])
        #expect(played.monitors == [.tooOld: 1])
    }

    @Test("never says converged for a cycle that began before the change, however good")
    func stale() throws {
        var played = try Played(["web-01"])
        played.pass(.zero)
        try played.greet("web-01", [age(.seconds(1))])
        played.pass(.seconds(5))
        played.board.notified("policy.age", for: nil, at: played.now)
        #expect(played.monitors == [.notYet: 1])
        // The list is asked for two seconds after the change.
        played.board.heard("web-01")
        played.pass(.seconds(2))
        played.now += .seconds(30)
        try played.list("web-01", [age(.seconds(2))])
        #expect(played.monitors == [.notYet: 1])
        played.board.heard("web-01")
        played.pass(.seconds(1))
        try played.list("web-01", [age(.seconds(1))])
        #expect(played.monitors == [.converged: 1])
    }

    @Test("takes a report for a proof where the age of the cycle, told late, reaches back before the change")
    func reported() throws {
        var played = try Played()
        played.pass(.zero)
        for name: Name in ["web-01", "web-02"] { try played.greet(name, [age(.seconds(1))]) }
        played.pass(.seconds(5))
        let change = played.now
        played.board.notified("policy.age", for: nil, at: change)
        let lines = [FleetReport.Line("web-01", "age", .converged), FleetReport.Line("web-02", "age", .notYet)]
        played.board.reported(lines, since: change)
        #expect(played.monitors == [.converged: 1, .notYet: 1])
        // The answers were on their way for longer than the cycles are old.
        for name: Name in ["web-01", "web-02"] { played.board.heard(name) }
        played.pass(.seconds(1))
        for name: Name in ["web-01", "web-02"] { try played.list(name, [age(.seconds(2))]) }
        #expect(played.monitors == [.converged: 1, .notYet: 1])
        // A report that is made of such answers says the same, but of a worker that has started again.
        let late = ["web-01", "web-02"].map { (name: Name) in
            var line = FleetReport.Line(name, "age", .notYet)
            line.beganAgo = .seconds(2)
            return line
        }
        #expect(played.board.completed(FleetReport([late]), since: change).counts == [.converged: 1, .notYet: 1])
        let anew = FleetReport([[FleetReport.Line("web-01", "age", .notYet)]])
        #expect(played.board.completed(anew, since: change).counts == [.notYet: 1])
        // A later change is not proved by it.
        played.board.notified("policy.age", for: nil, at: played.now)
        #expect(played.monitors == [.notYet: 2])
    }

    @Test("does not take an event for a proof: it only lists")
    func event() throws {
        var played = try Played(["web-01"])
        played.pass(.zero)
        try played.greet("web-01", [age(.seconds(1))])
        played.pass(.seconds(1))
        played.board.notified("policy.age", for: nil, at: played.now)
        for _ in 1...100 { played.board.heard("web-01") }
        #expect(played.monitors == [.notYet: 1])
        played.pass(.seconds(1))
        #expect(played.steps("web-01").filter { $0 == .listing(after: nil) }.count == 1)
    }

    @Test(
        "asks a worker that comes back uncovered for the principal who had notified, and takes EVALUATED with a cycle"
    )
    func again() throws {
        var played = try Played(["web-01"])
        played.pass(.zero)
        played.pass(.seconds(1))
        played.board.notified("policy.age", for: "ada", at: played.now)
        played.pass(.seconds(20))
        try played.greet("web-01", [age(nil)])
        let step = FleetBoard.Step.notifying("policy.age", for: "ada")
        #expect(played.steps("web-01").contains(step))
        let nothing = Evaluation.Monitor(monitor: "age", cycle: nil, state: .ran, actions: [])
        try played.answer("web-01", step, .evaluated(Evaluation(monitors: [nothing])))
        #expect(played.monitors == [.notYet: 1])
        // Again after a minute, and a list that was asked for since.
        for _ in 1...7 {
            played.pass(.seconds(10))
            if played.steps("web-01").contains(.listing(after: nil)) { try played.list("web-01", [age(nil)]) }
            try played.pong("web-01")
        }
        #expect(played.steps("web-01").contains(step))
        let good = Evaluation.Monitor(monitor: "age", cycle: 1, state: .ran, actions: [])
        try played.answer("web-01", step, .evaluated(Evaluation(monitors: [good])))
        #expect(played.monitors == [.converged: 1])
    }

    @Test("does not ask a worker again whose cycle failed or covers the change")
    func covered() throws {
        var played = try Played(["web-01", "web-02"])
        played.pass(.zero)
        played.board.notified("policy.age", for: nil, at: played.now)
        played.pass(.seconds(30))
        try played.greet("web-01", [age(.seconds(1))])
        try played.greet("web-02", [age(.seconds(1), .failed, failing: true)])
        #expect(played.monitors == [.converged: 1, .failed: 1])
        #expect(!(played.steps("web-01") + played.steps("web-02")).contains(.notifying("policy.age", for: nil)))
    }

    @Test("does not count answers of an earlier connection")
    func earlier() throws {
        var played = try Played(["web-01"])
        played.pass(.zero)
        try played.greet("web-01", [age(.seconds(1))])
        played.board.heard("web-01")
        played.pass(.seconds(1))
        played.connect("web-01")
        try played.list("web-01", [])
        #expect(played.monitors == [.ok: 1])
    }

    @Test("tells a monitor that the inventory expects, and how old the oldest evaluation is")
    func expected() throws {
        let expectation = Inventory.Expectation(on: .all, monitors: ["age"])
        var played = try Played(expecting: [expectation])
        played.pass(.zero)
        try played.greet("web-01", [])
        try played.greet("web-02", [age(.seconds(7))])
        #expect(played.monitors == [.missing: 1, .ok: 1])
        played.now += .seconds(3)
        #expect(played.board.summary(at: played.now).oldest == ["age": .seconds(10)])
    }

    @Test("begins 200 connections within a second, and lists each worker once a minute")
    func window() throws {
        var played = try Played((0..<500).map { try Name("w\($0)") })
        played.pass(.zero)
        #expect(played.open.count == 200)
        played.pass(.seconds(2))
        #expect(played.open.count == 500)
        try played.greet("w0", [])
        played.pass(.seconds(59))
        #expect(!played.steps("w0").contains(.listing(after: nil)))
        played.pass(.seconds(1))
        #expect(played.steps("w0").contains(.listing(after: nil)))
    }
}
