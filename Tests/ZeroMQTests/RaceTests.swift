import Foundation
import TestSupport
import Testing

@testable import ZeroMQ

/// Two things happen at once, again and again: `FORGE_RACES` times, 300 by default.
@Suite("A race", .serialized, .timeLimit(.minutes(30)))
struct RaceTests {
    private let rounds = ProcessInfo.processInfo.environment["FORGE_RACES"].flatMap(Int.init) ?? 300
    private let patience = Duration.seconds(600)

    @Test("between a cancellation and a message loses nothing, and delivers nothing twice")
    func cancelArrive() async throws {
        try await withFlow { reactor, push, pull in
            for number in 0..<rounds {
                let reader = Task { try? await pull.receive(within: patience) }
                reactor.submit { $0.send(Message(number: number), on: push) }
                await someTime()
                reader.cancel()
                var received = await reader.value
                if received == nil { received = try await pull.receive(within: patience) }
                #expect(received?.number == number)
            }
        }
    }

    @Test("between a deadline and a message loses nothing, and delivers nothing twice")
    func deadlineArrive() async throws {
        try await withFlow { reactor, push, pull in
            for number in 0..<rounds {
                let time = Duration.microseconds(Int.random(in: 0...100))
                let reader = Task { try? await pull.receive(within: time) }
                reactor.submit { $0.send(Message(number: number), on: push) }
                var received = await reader.value
                if received == nil { received = try await pull.receive(within: patience) }
                #expect(received?.number == number)
            }
        }
    }

    @Test("between a close and a message ends every wait, and what was told as received is that message")
    func closeArrive() async throws {
        try await withReactor { reactor in
            for number in 0..<rounds {
                let (push, pull) = (try await reactor.open(Push.self), try await reactor.open(Pull.self))
                try await reactor.connect(push, to: reactor.bind(pull, to: LocalEndpoint("inproc://close")))
                let readers = (0..<2).map { _ in Task { try await pull.receive(within: patience) } }
                reactor.submit { $0.send(Message(number: number), on: push) }
                await someTime()
                await reactor.close(pull)
                var received: [Int] = []
                for reader in readers {
                    switch await reader.result {
                    case .success(let message): received.append(message.number)
                    case .failure(let error): #expect((error as? ZeroMQError)?.code == .closed)
                    }
                }
                #expect(received.isEmpty || received == [number])
                await reactor.close(push)
            }
            #expect(await reactor.waits.isEmpty)
        }
    }

    @Test("between a close and room ends every wait, and what was told as sent arrives")
    func closeRoom() async throws {
        try await withReactor { reactor in
            for number in 0..<rounds {
                let (push, pull) = (try await reactor.open(Push.self), try await reactor.open(Pull.self))
                let endpoint = try await reactor.bind(push, to: LocalEndpoint("inproc://room"))
                let sender = Task { try await push.send(Message(number: number), within: patience) }
                await someTime()
                reactor.submit { try? $0.connect(pull, to: endpoint) }
                await someTime()
                await reactor.close(push)
                switch await sender.result {
                case .success: #expect(try await pull.receive(within: patience).number == number)
                case .failure(let error): #expect((error as? ZeroMQError)?.code == .closed)
                }
                await reactor.close(pull)
            }
            #expect(await reactor.waits.isEmpty)
        }
    }

    @Test("of two readers gives each message to one of them")
    func readers() async throws {
        try await withFlow { reactor, push, pull in
            let received = Record<Int>()
            let readers = (0..<2).map { _ in
                Task { while let message = try? await pull.receive(within: patience) { received.add(message.number) } }
            }
            for number in 0..<rounds {
                try await push.send(Message(number: number), within: patience)
                if number.isMultiple(of: 7) { await someTime() }
            }
            #expect(await received.reach(rounds).sorted() == Array(0..<rounds))
            for reader in readers {
                reader.cancel()
                await reader.value
            }
        }
    }

    @Test("between handlers that replace tasks and tasks that replace handlers loses nothing, and keeps the order")
    func handlers() async throws {
        try await withFlow { reactor, push, pull in
            let received = Record<Int>()
            let sending = Task {
                for number in 0..<rounds {
                    try await push.send(Message(number: number), within: patience)
                    if number.isMultiple(of: 5) { await someTime() }
                }
            }
            while received.values.count < rounds {
                await reactor.receive(pull) { received.add($0.number) }
                await someTime()
                if let message = try? await pull.receive(within: .microseconds(50)) { received.add(message.number) }
            }
            try await sending.value
            #expect(received.values == Array(0..<rounds))
        }
    }

    /// Runs something with a Push and a Pull that are connected, and checks that nobody waits at its end.
    private func withFlow(_ body: @Sendable (Reactor, Socket<Push>, Socket<Pull>) async throws -> Void) async throws {
        try await withReactor { reactor in
            let (push, pull) = (try await reactor.open(Push.self), try await reactor.open(Pull.self))
            try await reactor.connect(push, to: reactor.bind(pull, to: LocalEndpoint("inproc://flow")))
            try await body(reactor, push, pull)
            #expect(await reactor.waits.isEmpty)
            #expect(pull.inbox.isUnawaited)
        }
    }

    private func someTime() async {
        for _ in 0..<Int.random(in: 0..<6) { await Task.yield() }
    }
}
