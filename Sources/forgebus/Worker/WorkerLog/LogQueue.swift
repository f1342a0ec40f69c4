import DequeModule

/// Lines that wait to be written, within bounds, and how many lines were dropped.
///
/// Lines are dropped where there is no room, and where they cannot be written. The next thing that can be written begins
/// with their number, at the place where they are missing.
///
/// Pure: its owner asks for what is ``next(telling:)``, writes it, and says how much of it could be written.
struct LogQueue {
    /// What is to be written in one go: the news of dropped lines, a line, or both.
    struct Portion {
        let bytes: [UInt8]
        /// Where the news ends; 0 where there is none.
        fileprivate let newsEnd: Int
        fileprivate var hasLine: Bool { newsEnd < bytes.count }
    }

    private enum Entry {
        case line(String)
        /// So many lines are missing here; never two in a row.
        case gap(Int)
    }

    let lineLimit: Int
    let sizeLimit: Int
    private var entries: Deque<Entry> = []
    private var lineCount = 0
    private var size = 0
    /// Dropped before what comes next, and not told yet.
    private var untold = 0
    /// Whether the last line that was written lacks its end.
    private var isCut = false

    /// - Parameters:
    ///   - lineLimit: How many lines may wait.
    ///   - sizeLimit: How many bytes they may have together.
    init(lineLimit: Int, sizeLimit: Int) {
        self.lineLimit = lineLimit
        self.sizeLimit = sizeLimit
    }

    /// Takes a line, without its end; drops it where there is no room.
    mutating func add(_ line: String) {
        guard lineCount < lineLimit, size + line.utf8.count <= sizeLimit else { return drop() }
        entries.append(.line(line))
        lineCount += 1
        size += line.utf8.count
    }

    /// Takes out what is to be written now.
    ///
    /// - Parameter news: The line that tells how many lines were dropped.
    /// - Returns: Nil where nothing waits.
    mutating func next(telling news: (Int) -> String) -> Portion? {
        guard let entry = entries.popFirst() else { return nil }
        guard case .gap(let count) = entry else { return portion(of: entry, news) }
        untold += count
        return portion(of: entries.popFirst(), news)
    }

    /// Says how many bytes of a portion were written before an error; all of them where there was none.
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
