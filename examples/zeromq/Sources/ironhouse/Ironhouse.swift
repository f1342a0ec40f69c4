import ZeroMQ

/// A server that talks only to clients whose certificates it has, encrypted, and tells each its key.
///
///     ironhouse ENDPOINT SERVER CLIENT…
///
/// SERVER is the server's secret certificate (`NAME.key_secret`), and each CLIENT a public one (`NAME.key`).
@main
struct Program {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard let keys = try Certificate(contentsOf: arguments[2]).keys else { return print("no secret key") }
        let allowed = AllowedKeys(Set(try arguments.dropFirst(3).map { try Certificate(contentsOf: $0).publicKey }))
        try await withReactor("ironhouse") { reactor in
            let router = try await reactor.open(Router.self)
            let server = CurveServer(keys: keys, authenticator: try await reactor.authenticate(allowed))
            let endpoint = try await reactor.bind(router, to: Endpoint(arguments[1]), as: server)
            // Proves that the rule above lets no unknown key in.
            try await reactor.verifyThatStrangersAreRefused(at: endpoint, server: keys.publicKey)
            print(endpoint)
            for await question in router.messages {
                let answer = "\(question.senderKey.map(\.description) ?? "nobody") asks \(question.count) frames"
                try await router.send(Message([Array(answer.utf8)]), to: question.peer!, within: .seconds(5))
            }
        }
    }
}
