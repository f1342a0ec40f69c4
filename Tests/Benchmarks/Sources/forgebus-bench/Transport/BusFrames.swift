import CFloor
import ZeroMQ

/// The five frames of a request; by default a NOTIFY with an id of 36 bytes and a body of 64 bytes.
///
/// C and Swift send the same bytes. From request to request, only the number at the end of the id changes. If
/// ``hasUniqueSubject`` is true, the client in C also changes the number at the end of the subject.
struct BusFrames: Sendable {
    /// The bytes of all frames, one after another.
    private let bytes: [UInt8]
    private let sizes: [Int]
    private let request: Message
    private let subject: String

    /// Whether the client in C also writes the request's number at the end of the subject.
    let hasUniqueSubject: Bool

    /// The number of digits of the request's number, at the end of an id.
    private static let digits = Int(CFLOOR_NUMBER_SIZE)

    /// Makes the frames of a notification, or of the request that the arguments describe.
    init(
        command: String = "FORGE/1 NOTIFY",
        subject: String = "config.changed.eu-west-1",
        hasUniqueSubject: Bool = false,
        attribute: String = #""deadline_ms":30000"#,
        body: String = String(repeating: "x", count: 64)
    ) {
        self.subject = subject
        self.hasUniqueSubject = hasUniqueSubject
        let frames = [
            command,
            "3f2a9c1e-5b7d-4e60-9a1b-000000000000",
            subject,
            #"{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",\#(attribute)}"#,
            body,
        ]
        bytes = frames.flatMap { Array($0.utf8) }
        sizes = frames.map(\.utf8.count)
        request = Message(frames.map { Array($0.utf8) })
    }

    /// The request as a `Message` of `ZeroMQ`, as it is.
    var plain: Message { request }

    /// The request as a `Message` of `ZeroMQ`, with a number at the end of its id.
    func message(number: Int) -> Message {
        var message = request
        message.withMutableFrame(at: 1) { id in
            var rest = number
            var place = id.count
            while place > id.count - Self.digits {
                place -= 1
                id[place] = UInt8(truncatingIfNeeded: rest & 15 < 10 ? 0x30 + (rest & 15) : 0x57 + (rest & 15))
                rest >>= 4
            }
        }
        return message
    }

    /// The subject of the request with this number; use it only if ``hasUniqueSubject`` is true.
    func subject(number: Int) -> String {
        let number = String(number, radix: 16)
        let zeros = String(repeating: "0", count: Self.digits - number.count)
        return subject.dropLast(Self.digits) + zeros + number
    }

    /// The number at the end of the id of a message.
    static func number(of message: Message) -> Int {
        message.withFrame(at: 1) { id in
            var number = 0
            for place in max(id.count - digits, 0)..<id.count {
                let digit = Int(id[place])
                number = number << 4 | (digit < 0x3A ? digit - 0x30 : digit - 0x57)
            }
            return number
        }
    }

    /// Calls `body` with the request as C's structure; the structure is valid only during the call.
    func withFloorMessage<Value>(_ body: (UnsafePointer<cfloor_message>) throws -> Value) rethrows -> Value {
        var message = cfloor_message()
        let copy = copy(into: &message)
        defer { copy.deallocate() }
        return try withUnsafePointer(to: message, body)
    }

    /// Writes the request into C's structure `message`.
    ///
    /// - Returns: The bytes that `message` points to; the caller must deallocate them.
    func copy(into message: UnsafeMutablePointer<cfloor_message>) -> UnsafeMutablePointer<UInt8> {
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        var starts = [0]
        for size in sizes { starts.append(starts[starts.count - 1] + size) }
        let places = starts.map { UnsafePointer(copy + $0) }
        message.pointee.data = (places[0], places[1], places[2], places[3], places[4])
        message.pointee.size = (sizes[0], sizes[1], sizes[2], sizes[3], sizes[4])
        return copy
    }
}
