import Subprocess

/// What a command wrote to its standard output or standard error: a document or a text (see ``isDocument``).
struct CommandOutput: Sendable {
    /// The kept bytes: all bytes that were read of a document, or only the last bytes of a text.
    var bytes: [UInt8] = []
    /// How many bytes were written in all.
    var sizeInBytes = 0
    /// Whether the output is a document: whether its first byte that is not white space is `{`, or its reader says so.
    var isDocument = false
    /// Whether the output is a document over the size limit; such a document is not read to its end.
    var isTooLarge = false
    /// Whether the output is empty or only white space.
    private(set) var isBlank = true

    /// The last line that is not blank, without control characters; nil if every line is blank.
    var lastLine: String? { ErrorText.lastLine(of: bytes) }

    /// Appends the next bytes of the output; if the output is a text, keeps at least its last `limit` bytes.
    mutating func add(_ chunk: UnsafeRawBufferPointer, keeping limit: Int) {
        if isBlank, let first = chunk.first(where: { !Self.isBlank($0) }) {
            isBlank = false
            isDocument = isDocument || first == UInt8(ascii: "{")
        }
        bytes += chunk
        sizeInBytes += chunk.count
        // Dropped only when four times the limit is reached, so that the time stays proportional to the output's size.
        if !isDocument, bytes.count > 4 * limit { bytes.removeFirst(bytes.count - limit) }
    }

    /// The same output; a text is cut to its last `limit` bytes, a document is not cut.
    func cut(to limit: Int) -> CommandOutput {
        var cut = self
        if !isDocument { cut.bytes = Array(bytes.suffix(limit)) }
        return cut
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}

/// Reads the output of a command, up to a limit.
///
/// After a cancellation, the reader takes the data that is in the pipe and stops. The command has ended by then, and
/// the reader does not wait for other processes that hold the pipe open.
enum OutputReader {
    /// Reads the output: a document of at most `limit` bytes, or the last `tail` bytes of a text.
    ///
    /// If the output is a document of more than `limit` bytes, this method stops reading and calls `overflow`. If `tail`
    /// is nil, every output counts as a document.
    ///
    /// - Returns: The output; of a document of more than `limit` bytes, only the bytes that were read.
    static func output(
        of sequence: SubprocessOutputSequence,
        limit: Int,
        tail: Int?,
        overflow: @Sendable () -> Void
    ) async -> CommandOutput {
        var output = CommandOutput()
        output.isDocument = tail == nil
        await read(sequence) { chunk in
            chunk.withUnsafeBytes { output.add($0, keeping: tail ?? limit) }
            return !output.isDocument || output.sizeInBytes <= limit
        }
        guard output.isDocument, output.sizeInBytes > limit else { return output.cut(to: tail ?? limit) }
        overflow()
        output.isTooLarge = true
        return output
    }

    /// The last `limit` bytes of the output, even if it is a document.
    static func tail(of sequence: SubprocessOutputSequence, limit: Int) async -> CommandOutput {
        var output = CommandOutput()
        await read(sequence) { chunk in
            chunk.withUnsafeBytes { output.add($0, keeping: limit) }
            output.isDocument = false
            return true
        }
        return output.cut(to: limit)
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

/// Finds the line of a command's output that a message about a failure shows.
enum ErrorText {
    /// The maximum length of the line, in characters; a longer line is cut, and a `…` shows the cut.
    static let longestLine = 500

    /// The last line that is not blank, without control characters; nil if every line is blank.
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
