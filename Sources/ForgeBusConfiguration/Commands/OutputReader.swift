import Subprocess

/// Reads the output of a command, up to a limit.
///
/// After a cancellation, the reader takes the data that is in the pipe and stops. The command has ended by then, and
/// the reader does not wait for other processes that hold the pipe open.
enum OutputReader {
    /// All output, if it is at most `limit` bytes; otherwise nil, after calling `overflow`.
    static func head(
        of sequence: SubprocessOutputSequence,
        limit: Int,
        overflow: @Sendable () -> Void
    ) async -> [UInt8]? {
        var bytes: [UInt8] = []
        await read(sequence) { chunk in
            chunk.withUnsafeBytes { bytes += $0.prefix(limit + 1 - bytes.count) }
            return bytes.count <= limit
        }
        guard bytes.count > limit else { return bytes }
        overflow()
        return nil
    }

    /// The last `limit` bytes of the output.
    static func tail(of sequence: SubprocessOutputSequence, limit: Int) async -> [UInt8] {
        var bytes: [UInt8] = []
        await read(sequence) { chunk in
            chunk.withUnsafeBytes { bytes += $0 }
            // The tail is moved only now and then, so that the time stays proportional to the size of the output.
            if bytes.count > 4 * limit { bytes.removeFirst(bytes.count - limit) }
            return true
        }
        return Array(bytes.suffix(limit))
    }

    /// Passes chunks to `take` until it returns false, the stream ends, or the task is cancelled.
    static func read<Chunks: AsyncSequence>(_ chunks: Chunks, _ take: (Chunks.Element) -> Bool) async {
        var iterator = chunks.makeAsyncIterator()
        var isLast = false
        // An error means the end of the stream.
        while let chunk = try? await iterator.next(), take(chunk), !isLast {
            // There is one more read after the cancellation: it returns everything that is in the pipe, also the last
            // output of the command.
            isLast = Task.isCancelled
        }
    }
}

/// The standard error of a command, as part of a message.
enum ErrorText {
    /// The most characters of a line in a message.
    static let longestLine = 500

    /// The last line that is not blank, without control characters.
    static func lastLine(of bytes: [UInt8]) -> String? {
        let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        for line in lines.reversed() {
            // Control characters could forge log lines or steer a terminal.
            let scalars = String(decoding: line, as: UTF8.self).unicodeScalars
                .map { $0.properties.generalCategory == .control ? " " : $0 }
            let text = String(String.UnicodeScalarView(scalars)).trimming
            if text.isEmpty { continue }
            return text.count > longestLine ? text.prefix(longestLine) + "…" : text
        }
        return nil
    }
}

extension String {
    fileprivate var trimming: String {
        guard let first = firstIndex(where: { $0 != " " }), let last = lastIndex(where: { $0 != " " }) else {
            return ""
        }
        return String(self[first...last])
    }
}
