import ForgeBusProtocol
import Testing
import ZeroMQ

@testable import ForgeBusClient

@Suite("An answer that cannot be read", .timeLimit(.minutes(30)))
struct UnreadableAnswerTests {
    /// An answer's word, subject, attributes and body.
    private typealias Parts = [String]

    private static let accepted: Parts = ["ACCEPTED", "run-1", #"{"durability":"memory","retention_ms":60000}"#, ""]

    /// Runs a test with a client whose worker gives these answers to everything but PING.
    private func answered(_ answers: [Parts], _ body: (BusClient) async throws -> Void) async throws {
        let place = try Place()
        let reactor = try Reactor(label: "unreadable")
        let router = try await reactor.open(Router.self)
        await reactor.run { reactor in
            reactor.receive(router) { message in
                let isPing = message[0].elementsEqual("FORGE/1 PING".utf8)
                for parts in isPing ? [["PONG", "", #"{"worker":"w","state":"ready"}"#, ""]] : answers {
                    let rest = parts.dropFirst().map { Array($0.utf8) }
                    let frames = [Array("FORGE/1 \(parts[0])".utf8), Array(message[1])] + rest
                    reactor.reply(Message(frames), to: message, on: router)
                }
            }
        }
        try await reactor.bind(router, to: LocalEndpoint(place.endpoint))
        try await client(of: place, body)
        await reactor.shutDown()
    }

    @Test("leaves it open whether a change was made, but only if the request makes one")
    func doubt() async throws {
        let doubt = Errors.inDoubt(BusError(.badAnswer, "", next: "")).next
        try await answered([["VERDICT", "", "{}", ""]]) { client async throws in
            let error = await #expect(throws: BusError.self) { try await client.complete("s") }
            #expect(error?.code == .badAnswer && error?.next.hasPrefix(doubt) == true, "\(error?.next ?? "")")
        }
        try await answered([["PAGE", "", "{}", "{"]]) { client async throws in
            let error = await #expect(throws: BusError.self) { _ = try await client.list(.runs) }
            #expect(error?.code == .badAnswer && error?.next.contains(doubt) == false, "\(error?.next ?? "")")
        }
    }

    @Test("ends the request that waits for it, because no other one comes")
    func last() async throws {
        try await answered([Self.accepted, ["RESULT", "run-1", "{}", "{}"]]) { client async throws in
            #expect(try await code { _ = try await client.run("p") } == .badAnswer)
            #expect(try await code { _ = try await client.start("p").result } == .badAnswer)
        }
        let taken: Parts = ["ACCEPTED", "", #"{"durability":"memory","monitors":1}"#, ""]
        try await answered([taken, ["EVALUATED", "", "{}", "{"]]) { client async throws in
            #expect(try await code { _ = try await client.notifyAndWait("t") } == .badAnswer)
        }
        for word in ["ACCEPTED", "VERDICT", "OK", "ERROR"] {
            try await answered([[word, "", "{}", ""]]) { client async throws in
                #expect(try await code { _ = try await client.submit("p") } == .badAnswer)
                #expect(try await code { try await client.complete("s") } == .badAnswer)
                let watched = try await code { for try await _ in try await client.events(matching: ">") {} }
                #expect(watched == .badAnswer)
                #expect(await client.outstanding == 0)
            }
        }
    }

    @Test("is passed over where another one follows it, or where nobody waits for it")
    func other() async throws {
        let end: Parts = ["RESULT", "run-1", #"{"state":"completed"}"#, #"{"actions":[],"outputs":{}}"#]
        let others: [Parts] = [["PROGRESS", "run-1", "{}", ""], ["NOVELTY", "", "{", ""], end, ["OK"]]
        try await answered([Self.accepted] + others) { client async throws in
            #expect(try await client.run("p").state == .completed)
            #expect(try await client.run("p").state == .completed)
        }
    }
}
