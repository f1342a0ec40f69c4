import ForgeBusProtocol
import Scorecard
import Testing

extension CommandLineTests {
    /// Frames that are no request, and what their sender is told.
    struct Malformed: Sendable, CustomTestStringConvertible {
        let frames: [String]
        let code: String
        let cause: String

        init(_ frames: String..., code: String, cause: String) {
            self.frames = frames
            self.code = code
            self.cause = cause
        }

        var testDescription: String { "\(frames) → \(code)" }
    }

    @Suite("A worker that gets malformed messages")
    struct MalformedMessageTests {
        @Test(
            "says what is wrong with each, with the next move, and goes on",
            .scorecard(14),
            arguments: [
                Malformed("hello", code: "not_forge", cause: "frame"),
                Malformed("", "FORGE/1 PING", "1", "", "", "", code: "not_forge", cause: "REQ"),
                Malformed("GET / HTTP/1.1", "1", "", "", "", code: "not_forge", cause: "FORGE/"),
                Malformed("FORGE/2 PING", "1", "", "", "", code: "unsupported_version", cause: "2"),
                Malformed("FORGE/1 FLY", "1", "", "", "", code: "unknown_command", cause: "FLY"),
                Malformed("FORGE/1 PING", "white space", "", "", "", code: "bad_id", cause: "id"),
                Malformed("FORGE/1 NOTIFY", "1", "two..dots", "", "", code: "bad_name", cause: "two..dots"),
                Malformed("FORGE/1 NOTIFY", "1", "stock", "{", "", code: "bad_attribute", cause: "JSON"),
                Malformed(
                    "FORGE/1 NOTIFY",
                    "1",
                    "stock",
                    #"{"repyl":"evaluated"}"#,
                    "",
                    code: "bad_attribute",
                    cause: "reply"
                ),
                Malformed("FORGE/1 RUN", "1", "echo", #"{"keep_ms":1}"#, "{}", code: "bad_attribute", cause: "keep_ms"),
                Malformed("FORGE/1 RUN", "1", "echo", "", "[1]", code: "bad_body", cause: "object"),
                Malformed("FORGE/1 LIST", "1", "boats", "", "", code: "unknown_kind", cause: "boats"),
            ]
        )
        func isTold(_ malformed: Malformed) async throws {
            try await expectGoodEnd { worker in
                let peer = try RawPeer(worker.endpoint)
                try peer.send(malformed.frames.map { Array($0.utf8) })
                let answer = try peer.receive()
                try #require(answer.count == 5)
                #expect(answer[0] == Array("FORGE/1 ERROR".utf8))
                let error = try #require(try JSONValue(parsing: answer[3][...]).object)
                #expect(error["code"] == .string(malformed.code))
                #expect(error["message"]?.string?.contains(malformed.cause) == true, "\(error)")
                #expect(error["next"]?.string?.isEmpty == false)
                #expect(error["retryable"] == false)

                // The same connection goes on, and so do others.
                try peer.send(["FORGE/1 PING", "after", "", "", "still there?"].map { Array($0.utf8) })
                let pong = try peer.receive()
                #expect(pong.map { String(decoding: $0, as: UTF8.self) }.first == "FORGE/1 PONG")
                #expect(pong[1] == Array("after".utf8))
                #expect(pong[4] == Array("still there?".utf8))
                #expect(try await worker.asked("run", "echo", "text=a").code == 0)
            }
        }

        @Test("tells a stranger once that it is wrong here, and counts the rest in silence")
        func onceToStrangers() async throws {
            try await expectGoodEnd { worker in
                let peer = try RawPeer(worker.endpoint)
                for _ in 0..<3 { try peer.send([Array("hello".utf8)]) }
                try peer.send(["FORGE/1 PING", "after", "", "", ""].map { Array($0.utf8) })
                let commands = try (0..<2).map { _ in String(decoding: try peer.receive()[0], as: UTF8.self) }
                #expect(commands == ["FORGE/1 ERROR", "FORGE/1 PONG"])
            }
        }

        @Test("cuts off whoever announces more than a message may have, and reserves nothing for it", .scorecard(13))
        func cutOff() async throws {
            try await expectGoodEnd { worker in
                let peer = try RawPeer(worker.endpoint)
                try peer.write([2, 0x7F] + [UInt8](repeating: 0xFF, count: 7))
                #expect(peer.isCutOff())
                #expect(try await worker.asked("run", "echo", "text=a").code == 0)
            }
        }

        @Test("goes on beside connections that are of another protocol, or say nothing", .scorecard(12))
        func strangers() async throws {
            try await expectGoodEnd { worker in
                let silent = try RawPeer(silentlyTo: worker.endpoint)
                let browser = try RawPeer(silentlyTo: worker.endpoint)
                try browser.write(Array("GET / HTTP/1.1\r\nHost: worker\r\n\r\n".utf8))
                let noise = try RawPeer(worker.endpoint)
                try noise.write((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167) })
                #expect(try await worker.asked("run", "echo", "text=a").code == 0)
                silent.close()
            }
        }
    }
}
