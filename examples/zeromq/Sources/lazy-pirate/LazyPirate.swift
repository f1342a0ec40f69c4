import ZeroMQ

/// A client that survives its server: it asks, waits, and asks again over a new socket.
///
///     lazy-pirate ENDPOINT [QUESTIONS]
///
/// The server is a Rep or a Router. The client prints each answer, and gives up after three silences.
@main
struct LazyPirate {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let (endpoint, questions) = (try Endpoint(arguments[1]), arguments.count > 2 ? Int(arguments[2]) ?? 3 : 3)
        try await withReactor("lazy-pirate", flushing: .zero) { reactor in
            for number in 1...questions {
                let question = Message([Array("question \(number)".utf8)])
                guard let answer = try await ask(question, at: endpoint, on: reactor) else {
                    return print("it gives up")
                }
                print(String(decoding: answer[0], as: UTF8.self))
            }
        }
    }

    /// The server's answer; nil after three silences.
    static func ask(_ question: Message, at endpoint: Endpoint, on reactor: Reactor) async throws -> Message? {
        for attempt in 1...3 {
            do {
                // A Req that got no answer may not ask again, so each attempt has a socket of its own.
                return try await reactor.withSocket(Req.self) { req in
                    try await reactor.connect(req, to: endpoint)
                    try await req.send(question, within: .seconds(2))
                    return try await req.receive(within: .milliseconds(500))
                }
            } catch let error as ZeroMQError where error.code == .deadline {
                print("no answer, attempt \(attempt)")
            }
        }
        return nil
    }
}
