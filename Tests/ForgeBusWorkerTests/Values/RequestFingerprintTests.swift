import ForgeBusProtocol
import ForgeBusStore
import Testing

@testable import ForgeBusWorker

@Suite("A request's fingerprint")
struct RequestFingerprintTests {
    private func print(
        _ command: String,
        _ subject: String,
        _ attributes: String = "",
        _ body: String = "",
        id: String = "a"
    ) throws -> Fingerprint {
        let frames = Frames(
            command: ArraySlice("FORGE/1 \(command)".utf8),
            id: ArraySlice(id.utf8),
            subject: ArraySlice(subject.utf8),
            attributes: ArraySlice(attributes.utf8),
            body: ArraySlice(body.utf8)
        )
        return Fingerprint(of: try Request(decoding: frames), frames: frames)
    }

    @Test("is that of the same content, whatever the id")
    func same() throws {
        let first = try print("RUN", "feed", "", #"{"user":"ada"}"#)
        #expect(try print("RUN", "feed", "", #"{"user":"ada"}"#, id: "b") == first)
    }

    @Test(
        "does not see what only changes the answers or labels the sender",
        arguments: [
            #"{"reply":"accepted"}"#, #"{"progress":true}"#, #"{"source":"shop"}"#, #"{"traceparent":"00-1"}"#,
            #"{"something":1}"#,
        ]
    )
    func ignored(attributes: String) throws {
        #expect(try print("RUN", "feed", attributes) == print("RUN", "feed"))
    }

    @Test(
        "sees what changes the effect of a run",
        arguments: [
            ["feed2", "", ""], ["feed", #"{"deadline_ms":1}"#, ""], ["feed", #"{"durability":"memory"}"#, ""],
            ["feed", "", "{}"],
        ]
    )
    func run(other: [String]) throws {
        #expect(try print("RUN", other[0], other[1], other[2]) != print("RUN", "feed"))
    }

    /// For each attribute two values; those of an attribute that only changes the answers make no difference.
    private static let values: [String: (String, String, isContent: Bool)] = [
        "reply": (#""accepted""#, #""result""#, false), "progress": ("true", "false", false),
        "expect": ("1", "2", true), "deadline_ms": ("1", "2", true),
        "durability": (#""memory""#, #""fsynced""#, true), "keep_ms": ("1", "2", true), "ttl_ms": ("1", "2", true),
        "state": (#""parked""#, #""waiting""#, true), "pipeline": (#""p""#, #""q""#, true),
        "principal": (#""ada""#, #""bob""#, true), "older_than_ms": ("1", "2", true), "id": (#""a""#, #""b""#, true),
    ]

    /// A request of each kind, with what it needs besides the attribute under test.
    private static let requests: [String: (subject: String, attributes: [String: String], body: String)] = [
        "StateChange": ("t", [:], ""), "RunRequest": ("p", [:], ""), "Decision": ("s", [:], ""),
        "WithdrawRequest": ("s", [:], ""), "CancelRequest": ("r", [:], ""), "RedriveRequest": ("r", [:], ""),
        "SteeringRequest": (">", ["expect": "1", "state": #""parked""#], ""), "AdminRequest": ("store.verify", [:], ""),
        "PauseRequest": ("pipeline/p", [:], ""), "ModeRequest": ("m", ["ttl_ms": "1"], #"{"screen":"s"}"#),
    ]

    @Test(
        "sees each attribute of each verb that is done once, but for those that only change the answers",
        arguments: (Request.Command.verbs + [SteeringRequest.self]).filter { $0.isLedgered }.map { "\($0)" }
    )
    func everyAttribute(of kind: String) throws {
        let verb = try #require((Request.Command.verbs + [SteeringRequest.self]).first { "\($0)" == kind })
        let request = try #require(Self.requests[kind], "a new verb needs a row")
        let word = try #require(verb.words.first)
        for attribute in verb.attributes {
            let (first, second, isContent) = try #require(Self.values[attribute], "\(attribute) needs a row")
            func print(_ value: String) throws -> Fingerprint {
                let members = request.attributes.merging([attribute: value]) { $1 }.sorted { $0.key < $1.key }
                let text = "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
                return try self.print(word, request.subject, text, request.body)
            }
            #expect(try (print(first) != print(second)) == isContent, "\(word) \(attribute)")
        }
    }

    @Test("tells two deadlines and two durabilities apart")
    func values() throws {
        #expect(try print("RUN", "p", #"{"deadline_ms":1}"#) != print("RUN", "p", #"{"deadline_ms":2}"#))
        let memory = try print("RUN", "p", #"{"durability":"memory"}"#)
        #expect(try print("RUN", "p", #"{"durability":"fsynced"}"#) != memory)
    }

    @Test("sees the body byte by byte")
    func bytes() throws {
        #expect(try print("RUN", "p", "", #"{"n":1}"#) != print("RUN", "p", "", #"{"n": 1}"#))
    }

    @Test("tells COMPLETE from REJECT, and how long a decision is kept")
    func decisions() throws {
        let complete = try print("COMPLETE", "s", "", #""x""#)
        #expect(try print("REJECT", "s", "", #""x""#) != complete)
        #expect(try print("COMPLETE", "s", #"{"keep_ms":5}"#, #""x""#) != complete)
        let asked = try print("COMPLETE", "s", #"{"keep_ms":86400000}"#, #""x""#)
        #expect(asked != complete, "a gate uses only a decision whose sender asked for keeping")
        #expect(try print("COMPLETE", "s", #"{"keep_ms":86399999}"#, #""x""#) != asked)
    }

    @Test("is changed by bytes that move from one frame to the next")
    func borders() throws {
        #expect(try print("COMPLETE", "a1", "", "23") != print("COMPLETE", "a12", "", "3"))
    }
}
