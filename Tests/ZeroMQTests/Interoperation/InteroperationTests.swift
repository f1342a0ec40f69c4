import TestSupport
import Testing
import ZeroMQ

// A Pair has no tests here: it speaks inproc alone, and so with nobody outside of its reactor.

@Suite("With pyzmq, a socket", .needsPython, .serialized, .timeLimit(.minutes(30)))
struct InteroperationTests {
    @Test("that is a ROUTER has each DEALER's messages and answers, byte for byte", arguments: Transport.allCases)
    func router(_ transport: Transport) async throws {
        let directory = try TemporaryDirectory()
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            var messages = router.messages.makeAsyncIterator()
            let endpoint = try await reactor.bind(router, to: LocalEndpoint(transport.endpoint(in: directory)))
            try await withPython("DEALER", .connecting(endpoint)) { python in
                for message in Message.ofEveryShape {
                    try await python.send(message)
                    let received = try #require(await messages.next())
                    #expect(received == message)
                    #expect(await reactor.reply(message, to: received, on: router) == .sent)
                    #expect(try await python.receive() == message)
                }
            }
        }
    }

    @Test("that is a DEALER talks with a ROUTER, byte for byte", arguments: Binder.allCases, Transport.allCases)
    func dealerAndRouter(_ binder: Binder, _ transport: Transport) async throws {
        let directory = try TemporaryDirectory()
        try await withReactor { reactor in
            let dealer = try await reactor.open(Dealer.self)
            let endpoint = try transport.endpoint(in: directory)
            try await reactor.join(dealer, with: "ROUTER", binder, at: endpoint) { python in
                var messages = dealer.messages.makeAsyncIterator()
                await reactor.writable(dealer)
                for message in Message.ofEveryShape {
                    #expect(await reactor.send(message, on: dealer) == .sent)
                    let received = try await python.receive()
                    #expect(received.dropFirst() == message)
                    try await python.send([Array(received[0])] + message)
                    #expect(await messages.next() == message)
                }
            }
        }
    }

    @Test("that is a DEALER talks with a DEALER, byte for byte and in order", arguments: Binder.allCases)
    func dealers(_ binder: Binder) async throws {
        try await withReactor { reactor in
            let dealer = try await reactor.open(Dealer.self)
            try await reactor.join(dealer, with: "DEALER", binder) { python in
                var messages = dealer.messages.makeAsyncIterator()
                await reactor.writable(dealer)
                for message in Message.ofEveryShape { #expect(await reactor.send(message, on: dealer) == .sent) }
                for message in Message.ofEveryShape { #expect(try await python.receive() == message) }
                for message in Message.ofEveryShape { try await python.send(message) }
                for message in Message.ofEveryShape { #expect(await messages.next() == message) }
            }
        }
    }

    @Test("that is a ROUTER sees a REQ's empty frame, and answers with it")
    func req() async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            var messages = router.messages.makeAsyncIterator()
            let endpoint = try await reactor.bind(router, to: LocalEndpoint("tcp://127.0.0.1:*"))
            try await withPython("REQ", .connecting(endpoint)) { python in
                for message in Message.ofEveryShape {
                    try await python.send(message)
                    let received = try #require(await messages.next())
                    #expect(received == [[]] + message)
                    #expect(await reactor.reply(received, to: received, on: router) == .sent)
                    #expect(try await python.receive() == message)
                }
            }
        }
    }

    @Test("that is a DEALER puts an empty frame before what it asks a REP", arguments: Binder.allCases)
    func rep(_ binder: Binder) async throws {
        try await withReactor { reactor in
            let dealer = try await reactor.open(Dealer.self)
            try await reactor.join(dealer, with: "REP", binder) { python in
                var messages = dealer.messages.makeAsyncIterator()
                await reactor.writable(dealer)
                for message in Message.ofEveryShape {
                    #expect(await reactor.send([[]] + message, on: dealer) == .sent)
                    #expect(try await python.receive() == message)
                    try await python.send(message)
                    #expect(await messages.next() == [[]] + message)
                }
            }
        }
    }
}
