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
            let text = Printable.quoted(String(decoding: frame.prefix(80), as: UTF8.self))
            throw .notForge("Its first frame, \(text), does not begin with FORGE/.")
        }
        let rest = frame.dropFirst(signature.utf8CodeUnitCount)
        guard let space = rest.firstIndex(of: UInt8(ascii: " ")), space > rest.startIndex else {
            throw unknown(frame)
        }
        guard rest[..<space].count == 1, rest.first == UInt8(ascii: "1") else {
            let version = Printable.quoted(String(decoding: rest[..<space], as: UTF8.self))
            throw BusError(
                .unsupportedVersion,
                "Protocol version \(version) is not supported.",
                next: "Use version 1: FORGE/1."
            )
        }
        return String(decoding: rest[rest.index(after: space)...], as: UTF8.self)
    }

    static func unknown(_ frame: ArraySlice<UInt8>) -> BusError {
        BusError(
            .unknownCommand,
            "\(Printable.quoted(String(decoding: frame, as: UTF8.self))) is not a command that this version of "
                + "ForgeBus knows.",
            next: "Send FORGE/1, a space and one of \(Request.Command.words.joined(separator: ", ")). For a command of "
                + "a newer version, update the worker."
        )
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
}

extension BusError {
    /// The error for a message that does not belong to this protocol; `cause` is a sentence.
    package static func notForge(_ cause: String) -> BusError {
        BusError(
            .notForge,
            "This is not a message of the bus. \(cause)",
            next: "Send five frames from a DEALER socket: first the version and the command (such as FORGE/1 PING), "
                + "then id, subject, attributes and body."
        )
    }

    /// The error for frames that do not belong to this protocol; each connection gets this error only once.
    ///
    /// - Parameters:
    ///   - frameCount: The number of frames of the message.
    ///   - first: The first frame.
    ///   - second: The second frame; nil if the message has fewer than two frames.
    /// - Returns: The error; nil if there are five frames and the first one begins with `FORGE/`.
    package static func foreign(frameCount: Int, first: ArraySlice<UInt8>, second: ArraySlice<UInt8>?) -> BusError? {
        if first.isEmpty, let second, CommandFrame.isSigned(second) {
            return .notForge("It begins with an empty frame, as a REQ socket sends it.")
        }
        guard CommandFrame.isSigned(first) else {
            let text = Printable.quoted(String(decoding: first.prefix(80), as: UTF8.self))
            return .notForge("Its first frame, \(text), does not begin with FORGE/.")
        }
        return frameCount == Frames.count ? nil : .notForge("It has \(frameCount) frames instead of 5.")
    }
}
