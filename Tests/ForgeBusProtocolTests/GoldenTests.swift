import ForgeBusProtocol
import Testing

@Suite("The golden vectors")
struct GoldenTests {
    @Test("are read as they are meant", arguments: Golden.shared.vectors)
    func areReadAsTheyAreMeant(vector: Golden.Vector) throws {
        do throws(BusError) {
            let value = try Wire.read(vector)
            #expect(vector.error == nil, "taken, but meant to be refused: \(value.neutral)")
            #expect(value.neutral == vector.value?.expanded)
        } catch {
            #expect(vector.error == error.code.rawValue, "refused: \(error)")
            #expect(ErrorCode.catalogue.contains { $0.code == error.code })
        }
    }

    @Test("are written byte for byte, unless they say that they are not", arguments: Golden.shared.vectors)
    func areWrittenByteForByte(vector: Golden.Vector) throws {
        guard vector.error == nil else { return }
        let value = try Wire.read(vector)
        let written = value.frames
        #expect((written.bytes == vector.bytes) == (vector.canonical ?? true), "written as \(written.text)")
        #expect(try Wire.read(vector.direction, written) == value, "what was written means something else")
    }

    @Test("tell integers from other numbers", arguments: Golden.shared.vectors.filter { $0.seedTypes != nil })
    func tellIntegersFromOtherNumbers(vector: Golden.Vector) throws {
        guard case .request(let request) = try Wire.read(vector), case .run(let run) = request.command else {
            Issue.record("seed_types stands at what is no RUN")
            return
        }
        let types = Dictionary(uniqueKeysWithValues: run.seeds.entries.map { ($0.key, $0.value.typeName) })
        #expect(types == vector.seedTypes)
    }

    @Test("have a name, and a value or an error, each once")
    func areWellFormed() {
        var names: Set<String> = []
        for vector in Golden.shared.vectors {
            #expect(names.insert(vector.name).inserted, "\(vector.name) stands twice")
            #expect((vector.value == nil) != (vector.error == nil), "\(vector.name)")
        }
    }

    @Test("meet every command, every answer and every error a reader can find")
    func meetEverything() {
        let accepted = Golden.shared.vectors.filter { $0.error == nil }
        let words = RequestWord.allCases.map(\.rawValue) + AnswerWord.allCases.map(\.rawValue)
        #expect(Set(accepted.map(\.bytes[0])) == Set(words.map { Array("FORGE/1 \($0)".utf8) }))
        let readers: Set<ErrorCode> = [
            .notForge, .unsupportedVersion, .unknownCommand, .badID, .badName, .badAttribute, .badBody, .tooLarge,
            .unknownKind, .badAnswer,
        ]
        #expect(Set(Golden.shared.vectors.compactMap(\.error)) == Set(readers.map(\.rawValue)))
    }
}

/// A message of either direction.
enum Wire: Equatable, Sendable {
    case request(Request)
    case answer(Answer)

    /// Reads a vector as a worker or client does: first whether it is foreign, then what it says.
    static func read(_ vector: Golden.Vector) throws(BusError) -> Wire {
        let bytes = vector.bytes
        if vector.direction == .request,
            let foreign = BusError.foreign(
                frameCount: bytes.count,
                first: bytes[0][...],
                second: bytes.count > 1 ? bytes[1][...] : nil
            )
        {
            throw foreign
        }
        guard let frames = Frames(bytes) else { fatalError("\(vector.name) is signed and has \(bytes.count) frames") }
        return try read(vector.direction, frames)
    }

    static func read(_ direction: Golden.Vector.Direction, _ frames: Frames) throws(BusError) -> Wire {
        switch direction {
        case .request: .request(try Request(decoding: frames))
        case .answer: .answer(try Answer(decoding: frames))
        }
    }

    var frames: Frames {
        switch self {
        case .request(let request): request.frames
        case .answer(let answer): answer.frames
        }
    }

    var neutral: Neutral {
        switch self {
        case .request(let request): Neutral(request)
        case .answer(let answer): Neutral(answer)
        }
    }
}

extension Frames {
    /// The frames for a person, each at most 200 characters of it.
    var text: String {
        all.map { String(String(decoding: $0, as: UTF8.self).prefix(200)) }.joined(separator: " | ")
    }
}
