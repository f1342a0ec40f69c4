import ForgeBusProtocol
import ZeroMQ

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
    /// Answers by their routes: what one event tells to several watches comes in no particular order.
    private var answers: [Route: [Answer]] = [:]

    /// Whether nothing is under way.
    var isEmpty: Bool { requests.isEmpty && answers.isEmpty }

    mutating func send(_ request: Received) { requests.append(request) }

    mutating func send(_ answer: Answer, to peer: PeerID) {
        answers[Route(peer: peer.number, id: answer.id?.text ?? ""), default: []].append(answer)
    }

    /// The connection is gone, and what was under way on it.
    mutating func close(_ peer: Int) {
        requests.removeAll { $0.peer.number == peer }
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
        let peer = request.peer
        if rules.regime.stands(client: peer.number % 100) {
            lookForRoom(before: request)
            return step(.received(request))
        }
        rules.saw("key unknown")
        network.send(Answer(to: request.request.id, .error(.unknownKey)), to: peer)
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
    mutating func send(_ answer: Answer, to peer: PeerID) {
        guard isConnected(peer) else { return stepWithinTurn(.disconnected(peer)) }
        let isFull = network.faults.drop > 0 && generator.oneIn(20)
        if !isFull { network.send(answer, to: peer) }
    }

    /// The worker hands an event of a watch to a connection, which may be gone or full.
    mutating func tell(_ told: WatchBook.Told) {
        guard let event = harness.core.watches.event(for: told) else { return rules.unwanted(told.key) }
        let peer = told.key.peer
        guard isConnected(peer) else { return stepWithinTurn(.disconnected(peer)) }
        let isFull = network.faults.drop > 0 && generator.oneIn(3)
        if !isFull {
            rules.handedOver(event, told.key)
            network.send(Answer(to: told.key.request, .event(event)), to: peer)
        }
        stepWithinTurn(.told(told, isTaken: !isFull))
    }

    private func isConnected(_ peer: PeerID) -> Bool { clients.contains { $0.peer == peer.number } }

    /// Another access policy takes the place of the one that holds, or the same one again.
    mutating func replaceAccess(by regime: Regime? = nil) {
        let regime = regime ?? (generator.oneIn(2) ? .usual : .strict)
        step(.accessReplaced(regime.policy, by: "test"))
    }

    /// A client dies and begins anew, with what it asked for or without, or only its connection does.
    mutating func trouble() {
        let client = generator.below(clients.count)
        network.close(clients[client].peer)
        clients[client].reconnect(keepingItsRequests: !generator.oneIn(3))
        note("client \(client) comes back as \(clients[client].peer)")
    }
}
