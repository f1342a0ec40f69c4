import ZeroMQ

/// A client that survives its server: it asks, waits, and asks again over a new socket.
///
///     lazy-pirate ENDPOINT [QUESTIONS]
///
/// The server is a REP or a ROUTER. The client prints each answer, and gives up after three silences.
@main
struct LazyPirate {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let (endpoint, questions) = (try Endpoint(arguments[1]), arguments.count > 2 ? Int(arguments[2]) ?? 3 : 3)
        try await withReactor("lazy-pirate", flushing: .zero) { reactor in
            for number in 1...questions {
                let answer = try await ask(Message([Array("question \(number)".utf8)]), at: endpoint, on: reactor)
                print(String(decoding: answer[0], as: UTF8.self))
            }
        }
    }

    static func ask(_ question: Message, at endpoint: Endpoint, on reactor: Reactor) async throws -> Message {
        var attempt = 1
        while true {
            do {
                // A Req that got no answer may not ask again, so each attempt has a socket of its own.
                return try await reactor.withSocket(Req.self) { req in
                    try await reactor.connect(req, to: endpoint)
                    try await req.send(question, within: .seconds(2))
                    return try await req.receive(within: .milliseconds(500))
                }
            } catch let error as ZeroMQError where error.code == .deadline && attempt < 3 {
                print("no answer, attempt \(attempt)")
                attempt += 1
            }
        }
    }
}
