/// Reads and writes frame 0 of a message, for instance `FORGE/1 RUN`.
enum CommandFrame {
    /// The protocol version of this module.
    static let version = 1
    private static let signature: StaticString = "FORGE/"
    /// The text before the command's word in frame 0.
    static let versionPrefix = "FORGE/\(version) "

    /// Whether a frame begins with `FORGE/`, as frame 0 does in every protocol version.
    static func isSigned(_ frame: ArraySlice<UInt8>) -> Bool {
        frame.starts(with: UnsafeBufferPointer(start: signature.utf8Start, count: signature.utf8CodeUnitCount))
    }

    /// The command's word, which follows the version in frame 0.
    ///
    /// - Throws: ``BusError`` with code `not_forge`, `unsupported_version` or `unknown_command`.
    static func word(of frame: ArraySlice<UInt8>) throws(BusError) -> String {
        guard isSigned(frame) else {
            throw Errors.notForge(Errors.unsigned("first", frame))
        }
        let rest = frame.dropFirst(signature.utf8CodeUnitCount)
        guard let space = rest.firstIndex(of: UInt8(ascii: " ")), space > rest.startIndex else {
            throw Errors.unknownCommand(frame)
        }
        guard rest[..<space].count == 1, rest.first == UInt8(ascii: "1") else {
            throw Errors.unsupportedVersion(rest[..<space])
        }
        return String(decoding: rest[rest.index(after: space)...], as: UTF8.self)
    }
}

/// The words that name a worker's answers in frame 0.
package enum AnswerWord: String, CaseIterable {
    case welcome = "WELCOME"
    case accepted = "ACCEPTED"
    case progress = "PROGRESS"
    case result = "RESULT"
    case evaluated = "EVALUATED"
    case verdict = "VERDICT"
    case ok = "OK"
    case shown = "SHOWN"
    case page = "PAGE"
    case event = "EVENT"
    case pong = "PONG"
    case error = "ERROR"

    /// What the answer is to its request.
    private enum Role {
        /// It tells something and has changed nothing.
        case reading
        /// What the request asked for is done.
        case outcome
        /// The request is accepted; further answers may follow.
        case acceptance
        /// It tells what happens meanwhile.
        case news
        /// It ends a request that was accepted.
        case end
    }

    private var role: Role {
        switch self {
        case .welcome, .shown, .page, .pong, .error: .reading
        case .verdict, .ok: .outcome
        case .accepted: .acceptance
        case .progress, .event: .news
        case .result, .evaluated: .end
        }
    }

    /// Whether it can be the first answer to a request.
    package var isFirst: Bool { role != .news && role != .end }

    /// Whether it reports no effect, so that a refusal can replace it and the sender can send its request again.
    package var isRefusable: Bool { role == .reading }

    /// Whether it is the last answer to a request whose kind of last answer is `last`.
    package func isLast(_ last: LastAnswer) -> Bool {
        role == .acceptance ? last == .acceptance : role != .news
    }
}

extension BusError {
    /// The error for frames that do not belong to this protocol; each connection gets this error only once.
    ///
    /// - Parameters:
    ///   - frameCount: The number of frames of the message.
    ///   - first: The first frame.
    ///   - second: The second frame; nil if the message has fewer than two frames.
    /// - Returns: The error; nil if there are five frames and the first one begins with `FORGE/`.
    package static func foreign(frameCount: Int, first: ArraySlice<UInt8>, second: ArraySlice<UInt8>?) -> BusError? {
        if first.isEmpty, let second, CommandFrame.isSigned(second) {
            return Errors.notForge("It begins with an empty frame, as a REQ socket sends it.")
        }
        guard CommandFrame.isSigned(first) else {
            return Errors.notForge(Errors.unsigned("first", first))
        }
        return frameCount == Frames.count ? nil : Errors.notForge("It has \(frameCount) frames instead of 5.")
    }
}
