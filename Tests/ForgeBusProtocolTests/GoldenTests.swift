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
        let written = value.bytes
        #expect((written == vector.bytes) == (vector.canonical ?? true), "written as \(Wire.text(of: written))")
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

    @Test("show each new state of a run, and each word of OK")
    func showEachWord() {
        var changes: Set<String> = []
        var states: Set<StateReport.State> = []
        for case .answer(let answer)? in Golden.shared.vectors.map({ try? Wire.read($0) }) {
            if case .progress(let progress) = answer.content { changes.insert(progress.change.word) }
            if case .ok(let report) = answer.content { states.insert(report.state) }
        }
        let words = ["started", "finished", "waiting", "resumed", "retrying", "parked", "redriven"]
        #expect(changes == Set(words))
        #expect(states == Set(StateReport.State.allCases))
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
        let accepted = Golden.shared.vectors.filter { $0.error == nil && $0.direction != .publication }
        let met = Set(accepted.map { String(decoding: $0.bytes[0], as: UTF8.self) })
        let words = Request.Command.words + AnswerWord.allCases.map(\.rawValue)
        #expect(words.filter { !met.contains("FORGE/1 \($0)") } == [], "these have no vector")
        let readers: Set<ErrorCode> = [
            .notForge, .unsupportedVersion, .unknownCommand, .badID, .badName, .badPattern, .badAttribute, .badBody,
            .badOrigin, .tooLarge, .unknownKind, .badAnswer,
        ]
        #expect(Set(Golden.shared.vectors.compactMap(\.error)) == Set(readers.map(\.rawValue)))
    }
}
