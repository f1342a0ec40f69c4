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
