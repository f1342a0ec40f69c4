import ZeroMQ

/// A broker that gives each question to the worker that has waited longest.
///
///     broker FRONT BACK
///
/// Clients are REQ sockets at FRONT. Workers are REQ sockets at BACK: they send READY, then get [number, empty frame,
/// question], and answer [number, empty frame, answer], which is their next READY. While no worker is ready, the broker does
/// not read the front, so questions wait at the clients.
@main
struct Program {
    static func main() async throws {
        try await withReactor("broker") { reactor in
            let (front, back) = (try await reactor.open(Router.self), try await reactor.open(Router.self))
            await reactor.run { reactor in Broker(front, back).start(on: reactor) }
            print(try await reactor.bind(front, to: LocalEndpoint(CommandLine.arguments[1])))
            print(try await reactor.bind(back, to: LocalEndpoint(CommandLine.arguments[2])))
            // Until the process is ended.
            try await Task.sleep(for: .seconds(1_000_000))
        }
    }
}

/// The broker's state lives on the reactor's thread, and needs no lock.
final class Broker {
    private let front: Socket<Router>
    private let back: Socket<Router>
    private var ready: [PeerID] = []
    private var clients: [String: PeerID] = [:]
    private var count = 0

    init(_ front: Socket<Router>, _ back: Socket<Router>) { (self.front, self.back) = (front, back) }

    func start(on reactor: isolated Reactor) {
        reactor.pause(front)
        reactor.receive(front) { [self] question in
            // A REQ puts an empty frame before its question.
            guard let client = question.peer, question.count == 2 else { return }
            count += 1
            clients["\(count)"] = client
            let worker = ready.removeFirst()
            reactor.send(Message([Array("\(count)".utf8), [], Array(question[1])]).asRequest, on: back, to: worker)
            if ready.isEmpty { reactor.pause(front) }
        }
        reactor.receive(back) { [self] message in
            guard let worker = message.peer else { return }
            ready.append(worker)
            reactor.resume(front)
            // [empty, READY] or [empty, number, empty, answer].
            guard message.count == 4,
                let client = clients.removeValue(forKey: String(decoding: message[1], as: UTF8.self))
            else { return }
            reactor.send(Message([[], Array(message[3])]), on: front, to: client)
        }
    }
}

extension Message {
    /// The message as a REQ receives it: after an empty frame.
    var asRequest: Message { Message([[]] + (0..<count).map { Array(self[$0]) }) }
}
