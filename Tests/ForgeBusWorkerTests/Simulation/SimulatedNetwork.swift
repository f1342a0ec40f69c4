import ForgeBusProtocol
import TestSupport

@testable import ForgeBusWorker

/// What is under way between clients and the worker: it may come twice, late, in another order, or never.
struct SimulatedNetwork {
    /// How often something goes wrong: once in so many times; zero never.
    struct Faults {
        var drop = 0
        var duplicate = 0
        var reorder = 0

        static let none = Faults()
        static let usual = Faults(drop: 9, duplicate: 7, reorder: 3)
    }

    /// What something under way is about; what belongs together travels in order but for the network's faults.
    private struct Route: Hashable, Comparable {
        let peer: Int
        let id: String

        static func < (a: Route, b: Route) -> Bool { (a.peer, a.id) < (b.peer, b.id) }
    }

    var faults = Faults.usual
    private var requests: [Received] = []
    /// The connections that are gone.
    private(set) var gone: [Int] = []
    /// Answers by their routes: what one event tells to several watches comes in no particular order.
    private var answers: [Route: [Answer]] = [:]

    /// Whether nothing is under way.
    var isEmpty: Bool { requests.isEmpty && answers.isEmpty }

    mutating func send(_ request: Received) { requests.append(request) }

    mutating func send(_ answer: Answer, to connection: ConnectionID) {
        answers[Route(peer: Int(connection.number), id: answer.id?.text ?? ""), default: []].append(answer)
    }

    /// The connection is gone, and what was under way on it.
    mutating func close(_ peer: Int) {
        gone.append(peer)
        requests.removeAll { $0.caller.number == peer }
        answers = answers.filter { $0.key.peer != peer }
    }

    /// A request arrives, unless none is under way or the network loses it.
    mutating func nextRequest(_ generator: inout SeededGenerator) -> Received? {
        guard !requests.isEmpty else { return nil }
        let index = happens(faults.reorder, &generator) ? generator.below(requests.count) : 0
        let request = requests[index]
        if !happens(faults.duplicate, &generator) { requests.remove(at: index) }
        return happens(faults.drop, &generator) ? nil : request
    }

    /// An answer arrives, unless none is under way or the network loses it.
    mutating func nextAnswer(_ generator: inout SeededGenerator) -> (answer: Answer, peer: Int)? {
        guard let route = answers.keys.sorted().randomElement(using: &generator), var queue = answers[route] else {
            return nil
        }
        let index = happens(faults.reorder, &generator) ? generator.below(queue.count) : 0
        let answer = queue[index]
        if !happens(faults.duplicate, &generator) { queue.remove(at: index) }
        answers[route] = queue.isEmpty ? nil : queue
        return happens(faults.drop, &generator) ? nil : (answer, route.peer)
    }

    private func happens(_ fault: Int, _ generator: inout SeededGenerator) -> Bool {
        fault > 0 && generator.oneIn(fault)
    }
}

// How the bus uses it.
extension SimulatedBus {
    /// Something that is under way arrives.
    mutating func deliver() {
        if generator.oneIn(2), let (answer, peer) = network.nextAnswer(&generator) {
            if let client = clients.firstIndex(where: { $0.peer == peer }) { clients[client].receive(answer) }
        } else if let request = network.nextRequest(&generator) {
            arrive(request)
        } else if let (answer, peer) = network.nextAnswer(&generator) {
            if let client = clients.firstIndex(where: { $0.peer == peer }) { clients[client].receive(answer) }
        }
    }

    /// A request arrives: of a key that stands for nobody any more it goes no further than the worker's loop.
    private mutating func arrive(_ request: Received) {
        guard rules.regime.stands(client: BusSetting.client(of: request.caller)) else {
            rules.saw("key unknown")
            return network.send(
                Answer(to: request.request.id, .error(Errors.unknownKey)),
                to: request.caller.connection
            )
        }
        guard hear(request) else { return }
        lookForRoom(before: request)
        step(.received(request))
    }

    /// The worker notes who speaks; of one that has too much outstanding it decides nothing.
    private mutating func hear(_ request: Received) -> Bool {
        let caller = request.caller
        if let former = speakers.updateValue(caller, forKey: caller.connection), former != caller {
            rules.displaced(former)
        }
        switch harness.hear(caller) {
        case .heard: return true
        case .heardInstead(let former):
            stepWithinTurn(.replaced(former))
            return true
        case .refused: break
        }
        rules.saw("error busy, outstanding")
        network.send(Answer(to: request.request.id, .error(Errors.tooManyOutstanding)), to: caller.connection)
        return false
    }

    /// The worker looks which connections are gone, where there is no room otherwise.
    private mutating func lookForRoom(before request: Received) {
        let doubtful = harness.core.doubtfulConnections(before: request, at: harness.now)
        guard !doubtful.isEmpty else { return }
        let gone = doubtful.filter { !isConnected($0) }
        if !gone.isEmpty { rules.saw("room after the gone") }
        stepWithinTurn(.probed(gone: Array(gone)))
    }

    /// The worker hands an answer to a connection, which may be gone or full.
    mutating func send(_ answer: Answer, to caller: Caller) {
        defer { if answer.content.word.isFirst { harness.answered(caller) } }
        let connection = caller.connection
        guard harness.callers.isCurrent(caller) else { return rules.saw("kept from another") }
        guard isConnected(connection) else { return stepWithinTurn(.disconnected(connection)) }
        let isFull = network.faults.drop > 0 && generator.oneIn(20)
        if !isFull { put(answer, for: caller) }
    }

    /// The worker hands an event of a watch to a connection, which may be gone or full.
    mutating func tell(_ told: ToldEvent) {
        guard let event = harness.core.watches.event(for: told) else { return rules.unwanted(told.key) }
        let connection = told.key.caller.connection
        guard isConnected(connection) else { return stepWithinTurn(.disconnected(connection)) }
        let isFull = network.faults.drop > 0 && generator.oneIn(3)
        if !isFull {
            rules.handedOver(event, told.key)
            put(Answer(to: told.key.request, .event(event)), for: told.key.caller)
        }
        stepWithinTurn(.told(told, isTaken: !isFull))
    }

    /// What is told to one principal never reaches a connection on which another has spoken.
    private mutating func put(_ answer: Answer, for caller: Caller) {
        if let speaker = speakers[caller.connection], speaker != caller {
            rules.violate("\(speaker.principal) hears what \(caller.principal) asked for under a used id")
        }
        network.send(answer, to: caller.connection)
    }

    private func isConnected(_ connection: ConnectionID) -> Bool {
        clients.contains { $0.peer == connection.number }
    }

    /// The id of a connection that is gone and was another's, which a client claims now and then.
    private mutating func usedID(for client: Int) -> Int? {
        // Not one of two with the same name: nobody can tell them apart.
        guard client > 1, generator.oneIn(2) else { return nil }
        return network.gone.last { peer in peer % 100 != client && !isConnected(.numbered(peer)) }
    }

    /// Another access policy takes the place of the one that holds, or the same one again.
    mutating func replaceAccess(by regime: Regime? = nil) {
        let regime = regime ?? (generator.oneIn(2) ? .usual : .strict)
        step(.accessReplaced(regime.policy, by: "test"))
    }

    /// A client dies and begins anew, with what it asked for or without, or only its connection does.
    mutating func trouble() {
        let client = generator.below(clients.count)
        network.close(clients[client].peer)
        clients[client].reconnect(keepingItsRequests: !generator.oneIn(3), under: usedID(for: client))
        note("client \(client) comes back as \(clients[client].peer)")
    }
}
