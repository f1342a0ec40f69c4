import ForgeBusProtocol

/// A message, whoever says it.
enum Wire: Equatable, Sendable {
    case request(Request)
    case answer(Answer)
    case publication(Publication)

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
        return try read(vector.direction, bytes)
    }

    /// Reads frames; those of a request or answer are five.
    static func read(_ direction: Golden.Vector.Direction, _ bytes: [[UInt8]]) throws(BusError) -> Wire {
        if direction == .publication { return .publication(try Publication(decoding: bytes.map { $0[...] })) }
        guard let frames = Frames(bytes) else { fatalError("a message for one worker has \(bytes.count) frames") }
        return direction == .request
            ? .request(try Request(decoding: frames)) : .answer(try Answer(decoding: frames))
    }

    /// The frames as they are written.
    var bytes: [[UInt8]] {
        switch self {
        case .request(let request): request.frames.bytes
        case .answer(let answer): answer.frames.bytes
        case .publication(let publication): publication.frames.map { Array($0) }
        }
    }

    func encode(into buffer: inout FrameBuffer) {
        switch self {
        case .request(let request): request.encode(into: &buffer)
        case .answer(let answer): answer.encode(into: &buffer)
        case .publication(let publication): publication.encode(into: &buffer)
        }
    }

    var neutral: Neutral {
        switch self {
        case .request(let request): Neutral(request)
        case .answer(let answer): Neutral(answer)
        case .publication(let publication): Neutral(publication)
        }
    }

    /// Frames for a person, each at most 200 characters of it.
    static func text(of frames: [[UInt8]]) -> String {
        frames.map { String(String(decoding: $0, as: UTF8.self).prefix(200)) }.joined(separator: " | ")
    }
}
