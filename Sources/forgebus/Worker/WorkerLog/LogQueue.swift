import DequeModule

/// The lines of a log that wait to be written, within limits, and the numbers of dropped lines.
///
/// A line is dropped if there is no room for it, or if it cannot be written. A line with the number of dropped lines is
/// written in their place.
///
/// The queue itself writes nothing. Its owner calls ``next(telling:)``, writes the result, and reports with
/// ``settle(_:written:)`` how many bytes were written.
struct LogQueue {
    /// The next write: the report of dropped lines, a line, or both.
    struct Portion {
        let bytes: [UInt8]
        /// The offset at which the report of dropped lines ends; 0 if there is no report.
        fileprivate let newsEnd: Int
        fileprivate var hasLine: Bool { newsEnd < bytes.count }
    }

    private enum Entry {
        case line(String)
        /// The number of lines that were dropped at this place; the entry after a gap is always a line.
        case gap(Int)
    }

    let lineLimit: Int
    let sizeLimit: Int
    private var entries: Deque<Entry> = []
    private var lineCount = 0
    private var size = 0
    /// The number of lines that were dropped before the next line in the queue and are not reported yet.
    private var untold = 0
    /// Whether only a part of the last line was written.
    private var isCut = false

    /// - Parameters:
    ///   - lineLimit: The most lines that may wait.
    ///   - sizeLimit: The most bytes that all waiting lines may have together.
    init(lineLimit: Int, sizeLimit: Int) {
        self.lineLimit = lineLimit
        self.sizeLimit = sizeLimit
    }

    /// Adds a line without a line end; drops the line if there is no room.
    mutating func add(_ line: String) {
        guard lineCount < lineLimit, size + line.utf8.count <= sizeLimit else { return drop() }
        entries.append(.line(line))
        lineCount += 1
        size += line.utf8.count
    }

    /// Removes the entries that must be written next from the queue, and returns them as one portion.
    ///
    /// - Parameter news: Makes the line that reports a number of dropped lines.
    /// - Returns: Nil if nothing waits.
    mutating func next(telling news: (Int) -> String) -> Portion? {
        guard let entry = entries.popFirst() else { return nil }
        guard case .gap(let count) = entry else { return portion(of: entry, news) }
        untold += count
        return portion(of: entries.popFirst(), news)
    }

    /// Records how many bytes of a portion were written, which can be fewer than all after an error.
    mutating func settle(_ portion: Portion, written: Int) {
        if written >= portion.newsEnd { untold = 0 }
        if written > 0 { isCut = written < portion.bytes.count && written != portion.newsEnd }
        if portion.hasLine, written < portion.bytes.count { untold += 1 }
    }

    private mutating func portion(of entry: Entry?, _ news: (Int) -> String) -> Portion {
        var bytes: [UInt8] = []
        if untold > 0 { bytes += ((isCut ? "\n" : "") + news(untold) + "\n").utf8 }
        let newsEnd = bytes.count
        if case .line(let line) = entry {
            lineCount -= 1
            size -= line.utf8.count
            bytes += line.utf8
            bytes.append(UInt8(ascii: "\n"))
        }
        return Portion(bytes: bytes, newsEnd: newsEnd)
    }

    private mutating func drop() {
        if case .gap(let count) = entries.last {
            entries[entries.endIndex - 1] = .gap(count + 1)
        } else {
            entries.append(.gap(1))
        }
    }
}
