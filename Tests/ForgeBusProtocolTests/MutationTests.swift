import ForgeBusProtocol
import Scorecard
import Testing

@Suite("Messages that were damaged on the way")
struct MutationTests {
    private static let perSeed = Scorecard.trials(5_000, full: 25_000)

    @Test(
        "are refused with a code of the catalogue, or mean one thing",
        .scorecard(14),
        arguments: [1, 2, 3, 4] as [UInt64]
    )
    func areRefusedOrMeanOneThing(seed: UInt64) {
        var mutator = Mutator(seed: seed)
        var tally = Tally()
        Scorecard.count(Self.perSeed)
        for round in 0..<Self.perSeed {
            let (direction, bytes) = mutator.next()
            if let problem = Self.problem(direction, bytes, &tally) {
                Issue.record("seed \(seed), message \(round): \(problem): \(bytes)")
                return
            }
        }
        #expect(tally.taken > Self.perSeed / 20, "too few were taken for this to mean something")
        #expect(tally.refused.values.reduce(0, +) > Self.perSeed / 20, "too few were refused")
        let codes: Set<ErrorCode> = [
            .notForge, .unsupportedVersion, .unknownCommand, .badID, .badName, .badPattern, .badAttribute, .badBody,
            .badOrigin, .unknownKind, .badAnswer,
        ]
        #expect(codes.isSubset(of: tally.refused.keys))
    }

    private struct Tally {
        var taken = 0
        var refused: [ErrorCode: Int] = [:]
    }

    /// What is wrong with how a message was taken; nil if nothing is.
    private static func problem(
        _ direction: Golden.Vector.Direction,
        _ frames: [[UInt8]],
        _ tally: inout Tally
    ) -> String? {
        let value: Wire
        do throws(BusError) {
            value = try Wire.read(direction, frames)
        } catch {
            tally.refused[error.code, default: 0] += 1
            if direction == .answer, error.code != .badAnswer { return "an answer was refused with \(error)" }
            return ErrorCode.catalogue.contains { $0.code == error.code } ? nil : "no such code: \(error)"
        }
        tally.taken += 1
        do throws(BusError) {
            let written = value.bytes
            let again = try Wire.read(direction, written)
            guard again == value else { return "taken as \(value), written, and taken as \(again)" }
            return again.bytes == written ? nil : "written in two ways"
        } catch {
            return "taken as \(value), written, and refused with \(error)"
        }
    }
}

/// Damages golden messages, the same way for the same seed.
private struct Mutator {
    private var random: SplitMix64
    private let messages: [(direction: Golden.Vector.Direction, bytes: [[UInt8]])]

    /// Pieces that matter to a reader.
    private static let tokens = [
        "\"", "\\", "{", "}", "[", "]", ",", ":", "0", "1", "-", "1.0", "1e5", "1e400", "9223372036854775808", "true",
        "null", "\\u0000", "\\ud83d", "\\ude00", "é", "e\u{301}", "\u{FEFF}", " ", ".", "*", ">", "FORGE/", "FORGE/1 ",
        "FORGE/2 ", "RUN", "reply", "keep_ms", "completed", "failed", "conflict", "run/", "credit", "ttl_ms", "parked",
        "\"screen\":null", "\"replayed\":true,", "[[[[[[[[",
        "{\"a\":{\"a\":", "\u{0}", "\n",
    ].map { Array($0.utf8) }

    init(seed: UInt64) {
        random = SplitMix64(state: seed)
        messages = Golden.shared.vectors.compactMap { vector in
            let bytes = vector.bytes
            let size = bytes.reduce(0) { $0 + $1.count }
            let isWhole = bytes.count == Frames.count || vector.direction == .publication
            return isWhole && size < 2048 ? (vector.direction, bytes) : nil
        }
    }

    mutating func next() -> (Golden.Vector.Direction, [[UInt8]]) {
        var (direction, bytes) = messages[below(messages.count)]
        for _ in 0...below(3) { damage(&bytes) }
        return (direction, bytes)
    }

    private mutating func damage(_ frames: inout [[UInt8]]) {
        let frame = below(frames.count)
        switch below(10) {
        case 0: frames[frame].removeAll()
        case 1: frames.swapAt(frame, below(frames.count))
        case 2: splice(into: &frames, at: frame)
        case 3: frames[frame].removeLast(below(frames[frame].count + 1))
        case 4: insert(Self.tokens[below(Self.tokens.count)], into: &frames[frame])
        case 5: insert([UInt8(below(256))], into: &frames[frame])
        case 6: insert(Array(slice(of: frames[frame])), into: &frames[frame])
        case 7: frames[frame].removeSubrange(slice(of: frames[frame]).indices)
        case 8: overwrite(&frames[frame], with: UInt8(below(256)))
        default: flipBit(&frames[frame])
        }
    }

    /// The same frame of another message, where that has one.
    private mutating func splice(into frames: inout [[UInt8]], at frame: Int) {
        let other = messages[below(messages.count)].bytes
        if frame < other.count { frames[frame] = other[frame] }
    }

    private mutating func insert(_ bytes: [UInt8], into frame: inout [UInt8]) {
        frame.insert(contentsOf: bytes, at: below(frame.count + 1))
    }

    private mutating func overwrite(_ frame: inout [UInt8], with byte: UInt8) {
        if !frame.isEmpty { frame[below(frame.count)] = byte }
    }

    private mutating func flipBit(_ frame: inout [UInt8]) {
        if !frame.isEmpty { frame[below(frame.count)] ^= 1 << UInt8(below(8)) }
    }

    private mutating func slice(of frame: [UInt8]) -> ArraySlice<UInt8> {
        let start = below(frame.count + 1)
        return frame[start..<(start + below(min(frame.count - start, 8) + 1))]
    }

    private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
}

/// A generator whose numbers depend on its seed alone.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
