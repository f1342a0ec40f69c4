import ForgeBusProtocol
import Testing

@Suite("An answer as a value")
struct AnswerValueTests {
    private static let vectors = Golden.shared.vectors.filter {
        $0.direction == .answer && $0.error == nil && $0.canonical ?? true
    }

    @Test("says what its frames say", arguments: vectors)
    func saysWhatItsFramesSay(vector: Golden.Vector) throws {
        guard case .answer(let answer) = try Wire.read(vector) else { return }
        let subject = JSONValue.string(String(decoding: vector.bytes[2], as: UTF8.self))
        var attributes = try members(of: vector.bytes[3])
        attributes["replayed"] = nil
        switch answer.content {
        case .welcome(let welcome): #expect(members(of: welcome.json) == attributes)
        case .progress(let progress):
            attributes["sequence"] = nil
            #expect(members(of: progress.change.json()) == attributes)
            attributes["event"] = attributes.removeValue(forKey: "state")
            #expect(members(of: progress.change.json(naming: "event")) == attributes)
        case .result(let result):
            let body = try members(of: vector.bytes[4])
            #expect(members(of: result.json) == ["run": subject].merging(attributes) { $1 }.merging(body) { $1 })
        case .evaluated(let evaluation):
            let monitors = JSONValue.array(evaluation.monitors.map { .object($0.json) })
            #expect(monitors.encoded == vector.bytes[4])
        case .verdict(let report): #expect(members(of: report.json) == ["signal": subject].merging(attributes) { $1 })
        case .ok(let report):
            let run: [String: JSONValue] = report.run == nil ? [:] : ["run": subject]
            #expect(members(of: report.json) == run.merging(attributes) { $1 })
        case .event(let event):
            let body = try JSONValue(parsing: vector.bytes[4][...])
            let own: [String: JSONValue] = ["subject": subject, "lost": 0, "body": body]
            #expect(members(of: event.json) == own.merging(attributes) { $1 })
        case .accepted, .shown, .page, .pong, .error: break
        }
    }

    private func members(of frame: [UInt8]) throws -> [String: JSONValue] {
        members(of: try #require(try JSONValue(parsing: frame[...]).object))
    }

    private func members(of object: JSONObject) -> [String: JSONValue] {
        Dictionary(uniqueKeysWithValues: object.entries.map { ($0.key, $0.value) })
    }
}
