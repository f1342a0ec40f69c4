import Testing
import ZeroMQ

@Suite("A message")
struct MessageTests {
    @Test("keeps what was appended, in whichever form")
    func appending() {
        var message = Message()
        message.reserveCapacity(32)
        message.append([1, 2, 3])
        message.append([9, 8, 7, 6][1...2])
        message.append("né")
        message.append("")
        [UInt8](arrayLiteral: 4, 5).withUnsafeBytes { message.append($0) }
        #expect(message.count == 5)
        #expect((0..<5).map { Array(message[$0]) } == [[1, 2, 3], [8, 7], Array("né".utf8), [], [4, 5]])
        #expect(message.sizeInBytes == 10)
        #expect(message.withFrame(at: 1) { Array($0) } == [8, 7])
    }

    @Test("has any number of frames", arguments: [0, 1, 7, 8, 9, 16, 17, 300])
    func manyFrames(_ count: Int) {
        let frames = (0..<count).map { index in [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: index % 5) }
        let message = Message(frames)
        #expect(message.count == count)
        #expect((0..<count).map { Array(message[$0]) } == frames)
    }

    @Test(
        "is made of frames that lie one after another, and keeps none of the room they lie in",
        arguments: [0, 1, 5, 6, 9]
    )
    func ofOneArray(_ count: Int) {
        let frames = (0..<count).map { [UInt8](repeating: UInt8($0), count: $0 % 3) }
        var bytes = frames.flatMap(\.self)
        let ends = frames.indices.map { frames[...$0].reduce(0) { $0 + $1.count } }
        let message = Message(bytes, frameEnds: ends)
        bytes = bytes.map { _ in 99 }
        #expect(message == Message(frames))
        #expect(message.sizeInBytes == bytes.count)
    }

    @Test("equals another only with the same boundaries")
    func equality() {
        #expect(Message([[1, 2], [3]]) == Message([[1, 2], [3]]))
        #expect(Message([[1, 2], [3]]) != Message([[1], [2, 3]]))
        #expect(Message([[1]]) != Message([[1], []]))
        let many = [[UInt8]](repeating: [1, 2], count: 10)
        #expect(Message(many) != Message(many.dropLast() + [[1], [2]].dropLast() + [[2]]))
    }

    @Test("copies are independent")
    func copies() {
        let original = Message([[1], [2]])
        var copy = original
        copy.append([3])
        #expect(original.count == 2)
        #expect(copy == Message([[1], [2], [3]]))
    }

    @Test("changes one frame in place, and no copy with it")
    func changing() {
        let original = Message([[1, 2], [3, 4, 5], []])
        var changed = original
        changed.withMutableFrame(at: 1) { bytes in
            #expect(bytes.count == 3)
            bytes[0] = 9
        }
        changed.withMutableFrame(at: 2) { #expect($0.isEmpty) }
        #expect(changed == Message([[1, 2], [9, 4, 5], []]))
        #expect(original == Message([[1, 2], [3, 4, 5], []]))
    }

    @Test("throws what the reader of a frame throws")
    func readingFails() {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try Message([[1]]).withFrame(at: 0) { _ throws(Refusal) in throw Refusal() }
        }
    }

    @Test("shows counts, never content")
    func description() {
        let message = Message([Array("secret".utf8), []])
        #expect("\(message)" == "Message(2 frames, 6 bytes)")
        #expect(String(reflecting: message) == "Message(2 frames, 6 bytes)")
    }

    @Test("stops the program when a frame is asked for that it has not")
    func outOfRange() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Message([[1]])[1]
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Frame 1,"))
    }
}
