import ForgeBusClient
import ForgeBusProtocol
import ForgeBusStore
import ForgeBusWorker
import ForgeOrchestrator
import Scorecard
import TestSupport
import Testing

@Suite("A worker that is sent nonsense")
struct MalformedTests {
    private static let served = HostedPipeline(
        "feed",
        pipeline(Stage("work")),
        seeds: [.required("user", .string)]
    )

    /// What it answers to these frames, and that it goes on serving afterwards.
    private func code(of frames: [String]) async throws -> ErrorCode? {
        try await serving(pipelines: [Self.served], store: MemoryStore()) { serving in
            let dealer = try await RawDealer(serving.endpoint)
            try await dealer.send(frames[0], frames[1], frames[2], frames[3], frames[4])
            try await dealer.send("FORGE/1 PING", "after", "", "", "")
            let answers = try await dealer.answers(2)
            await dealer.close()
            #expect(answers[1].id?.text == "after")
            guard case .error(let error) = answers[0].content else { return nil }
            #expect(!error.message.isEmpty)
            #expect(!error.next.isEmpty)
            return error.code
        }
    }

    @Test(
        "says what is wrong, and goes on serving",
        .scorecard(14),
        arguments: [
            (["FORGE/1 RUN", "a", "fed", "", #"{"user":"ada"}"#], ErrorCode.unknownPipeline),
            (["FORGE/1 RUN", "a", "feed", "", #"{"user":7}"#], .badSeed),
            (["FORGE/1 RUN", "a", "feed", "", "{}"], .badSeed),
            (["FORGE/1 RUN", "a", "feed", "", #"{"user":"ada","age":3}"#], .badSeed),
            (["FORGE/1 RUN", "a", "feed", "", "{"], .badBody),
            (["FORGE/1 RUN", "a", "feed", "", "[]"], .badBody),
            (["FORGE/1 RUN", "a", "feed", #"{"dedline_ms":5}"#, #"{"user":"ada"}"#], .badAttribute),
            (["FORGE/1 RUN", "a", "feed", #"{"keep_ms":5}"#, #"{"user":"ada"}"#], .badAttribute),
            (["FORGE/1 RUN", "a", "feed", #"{"deadline_ms":0}"#, #"{"user":"ada"}"#], .badAttribute),
            (["FORGE/1 RUN", "a", "feed", "nonsense", #"{"user":"ada"}"#], .badAttribute),
            (["FORGE/1 RUN", "a b", "feed", "", ""], .badID),
            (["FORGE/1 RUN", "a", "feed..x", "", ""], .badName),
            (["FORGE/1 REDRAW", "a", "run-1", "", ""], .unknownCommand),
            (["FORGE/2 RUN", "a", "feed", "", ""], .unsupportedVersion),
            (["FORGE/1 LIST", "a", "things", "", ""], .unknownKind),
            (["FORGE/1 REJECT", "a", "s", "", "7"], .badBody),
            (["FORGE/1 RUN", "a", "feed", #"{"durability":"fsynced"}"#, #"{"user":"ada"}"#], .notDurable),
        ]
    )
    func refused(frames: [String], code: ErrorCode) async throws {
        #expect(try await self.code(of: frames) == code)
    }

    @Test("gives an answer about a message without a readable id no id")
    func withoutID() async throws {
        try await serving { serving in
            let dealer = try await RawDealer(serving.endpoint)
            try await dealer.send("FORGE/1 PING", "", "", "", "")
            let answer = try await dealer.answers(1)[0]
            #expect(answer.id == nil)
            guard case .error(let error) = answer.content else { throw Missing("an error") }
            #expect(error.code == .badID)
            await dealer.close()
        }
    }

    @Test("tells a stranger once that it is wrong here, counts the rest, and goes on serving")
    func foreign() async throws {
        try await serving { serving in
            let before = try await serving.worker.counters[.foreign]
            let dealer = try await RawDealer(serving.endpoint)
            try await dealer.send("FORGE/1 PING", "four", "", "")
            try await dealer.send("FORGE/1 PING", "six", "", "", "", "")
            try await dealer.send("GET / HTTP/1.1", "", "", "", "")
            try await dealer.send("hello")
            try await dealer.send("FORGE/1 PING", "five", "", "", "")
            let answers = try await dealer.answers(2)
            #expect(answers.map(\.notForge) == [true, false], "one answer to all strangers' messages, then the PONG")
            #expect(answers[1].id?.text == "five")
            #expect(try await serving.worker.counters[.foreign] == before + 4)
            await dealer.close()
        }
    }

    @Test("tells each connection by itself, and a REQ socket what its extra frame is")
    func requestSockets() async throws {
        try await serving { serving in
            for _ in 0..<2 {
                let dealer = try await RawDealer(serving.endpoint)
                // What a REQ socket makes of five frames.
                try await dealer.send("", "FORGE/1 PING", "a", "", "", "")
                try await dealer.send("", "FORGE/1 PING", "a", "", "", "")
                try await dealer.send("FORGE/1 PING", "b", "", "", "")
                let answers = try await dealer.answers(2)
                guard case .error(let error) = answers[0].content else { throw Missing("an error") }
                #expect(error.code == .notForge)
                #expect(error.message.contains("REQ"))
                #expect(answers[1].id?.text == "b")
                await dealer.close()
            }
        }
    }

    @Test("refuses a misspelt seed to a client with the declared one it looks like")
    func client() async throws {
        try await serving(pipelines: [Self.served]) { serving in
            let client = try await serving.client()
            let error = try await failure { _ = try await client.run("feed", seeds: ["usre": "ada"]) }
            #expect(error?.code == .badSeed)
            #expect(error?.message.contains("`user`") == true)
            #expect(error?.isRetryable == false)
            #expect(try await client.run("feed", seeds: ["user": "ada"]).state == .completed)
        }
    }
}

extension Answer {
    /// Whether it says that a message was none of the bus.
    fileprivate var notForge: Bool {
        if case .error(let error) = content { error.code == .notForge } else { false }
    }
}
