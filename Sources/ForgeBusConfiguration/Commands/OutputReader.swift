import Subprocess

/// Reads what a command writes, bounded.
///
/// A reader whose task is cancelled takes what is in the pipe and stops: the command has ended then, and whoever else
/// holds the pipe open is not waited for.
enum OutputReader {
    /// Everything, if it is no more than `limit` bytes; else nil, after `overflow` was called.
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

    /// The last `limit` bytes.
    static func tail(of sequence: SubprocessOutputSequence, limit: Int) async -> [UInt8] {
        var bytes: [UInt8] = []
        await read(sequence) { chunk in
            chunk.withUnsafeBytes { bytes += $0 }
            // Moved seldom, so that much output costs no square.
            if bytes.count > 4 * limit { bytes.removeFirst(bytes.count - limit) }
            return true
        }
        return Array(bytes.suffix(limit))
    }

    /// Hands on what comes until `take` has had enough, there is no more, or the task was cancelled.
    static func read<Chunks: AsyncSequence>(_ chunks: Chunks, _ take: (Chunks.Element) -> Bool) async {
        var iterator = chunks.makeAsyncIterator()
        var isLast = false
        // An error means that nothing more comes.
        while let chunk = try? await iterator.next(), take(chunk), !isLast {
            // One more read after the cancellation: a pipe gives all it holds at once, and what the command wrote
            // between the latest read and its end is still in there.
            isLast = Task.isCancelled
        }
    }
}

/// What a command says on its standard error, made fit for a sentence.
enum ErrorText {
    /// The most characters of a line that are told.
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
