import TestSupport
import Testing
import ZeroMQ

@Suite("A paused socket", .timeLimit(.minutes(30)))
struct PauseTests {
    @Test("receives nothing, and all of it once it is resumed")
    func pauseAndResume() async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            let endpoint = try await reactor.bind(router, to: try LocalEndpoint("inproc://paused"))
            let received = Record<Int>()
            // Also from within: only what is being handled still counts.
            await reactor.take(router, upTo: 49, into: received)
            let dealer = try await reactor.dial(endpoint)
            await reactor.pause(router)
            for number in 0..<100 { #expect(await reactor.send(Message(number: number), on: dealer) == .sent) }
            await reactor.passTurns(5)
            #expect(received.values.isEmpty)
            await reactor.resume(router)
            _ = await received.reach(50)
            await reactor.passTurns(5)
            #expect(received.values == Array(0..<50))
            await reactor.resume(router)
            #expect(await received.reach(100) == Array(0..<100))
        }
    }

    @Test("makes its peer wait in the end, and loses nothing")
    func backPressure() async throws {
        try await withReactor("server") { server in
            let router = try await server.open(Router.self)
            let endpoint = try await server.bind(router, to: try LocalEndpoint("tcp://127.0.0.1:*"))
            let received = Record<Int>()
            await server.receive(router) { message in received.add(message.number) }
            await server.pause(router)
            try await withReactor("client") { client in
                let dealer = try await client.dial(endpoint)
                await client.writable(dealer)
                var accepted = 0
                while true {
                    if await client.send(Message.large(accepted), on: dealer) == .sent {
                        accepted += 1
                    } else if accepted < 512 {
                        // Its own queue is full, and the router's is not yet.
                        await client.passTurns(1)
                    } else {
                        break
                    }
                }
                #expect(received.values.isEmpty)
                await server.resume(router)
                await client.writable(dealer)
                #expect(await client.send(Message.large(accepted), on: dealer) == .sent)
                #expect(await received.reach(accepted + 1) == Array(0...accepted))
            }
        }
    }
}

extension Message {
    /// A number and 20,000 bytes.
    static func large(_ number: Int) -> Message {
        var message = Message(number: number)
        message.append([UInt8](repeating: 1, count: 20_000))
        return message
    }
}
