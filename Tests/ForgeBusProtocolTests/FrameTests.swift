import ForgeBusProtocol
import Testing

@Suite("A buffer of frames")
struct FrameTests {
    @Test("is used again and again, and holds the last message alone")
    func isUsedAgain() throws {
        var buffer = FrameBuffer()
        for vector in Golden.shared.vectors where vector.error == nil {
            let message = try Wire.read(vector)
            message.encode(into: &buffer)
            let frames = (0..<buffer.count).map { Array(buffer.bytes[buffer.range(ofFrame: $0)]) }
            #expect(frames == message.bytes, "\(vector.name)")
            #expect(buffer.range(ofFrame: buffer.count - 1).upperBound == buffer.bytes.count)
            #expect(buffer.ends == frames.indices.map { frames[...$0].reduce(0) { $0 + $1.count } })
        }
    }

    @Test("is read where it lies: frames that are slices of one array")
    func isReadWhereItLies() throws {
        let request = Request(.ping([1, 2, 3]), id: try RequestID("p-1"), source: "probe")
        var buffer = FrameBuffer()
        request.encode(into: &buffer)
        #expect(buffer.frames.body.startIndex == buffer.range(ofFrame: 4).lowerBound)
        #expect(try Request(decoding: buffer.frames) == request)
    }
}

@Suite("The frames of a message")
struct FramesTests {
    @Test("are five, in their order, and no other number")
    func areFive() {
        let frames = (1...6).map { ArraySlice([UInt8]($0...$0)) }
        #expect(Frames(count: 5) { frames[$0] }?.all == Array(frames.prefix(5)))
        for count in [0, 1, 4, 6] { #expect(Frames(count: count) { frames[$0] } == nil) }
    }
}

@Suite("A stranger's message")
struct ForeignTests {
    @Test("is told from one of the bus by its number of frames and its first bytes")
    func isTold() {
        func foreign(_ frames: String...) -> BusError? {
            let bytes = frames.map { Array($0.utf8)[...] }
            return BusError.foreign(frameCount: bytes.count, first: bytes[0], second: bytes.dropFirst().first)
        }
        #expect(foreign("FORGE/1 PING", "1", "", "", "") == nil)
        #expect(foreign("FORGE/9", "", "", "", "") == nil)
        #expect(foreign("FORGE/1 PING", "1", "", "")?.message.contains("4 frames") == true)
        #expect(foreign("", "FORGE/1 PING", "1", "", "", "")?.message.contains("REQ") == true)
        #expect(foreign("FORGE", "1", "", "", "")?.message.contains("FORGE/") == true)
        #expect(foreign("")?.code == .notForge)
    }
}
