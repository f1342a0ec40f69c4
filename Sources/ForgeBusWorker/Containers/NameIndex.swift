import ForgeBusProtocol

/// Names in the order of their times; names with the same time are in the order of ``Name/precedes(_:)``.
///
/// A page of a list is read from the place where the page begins, so its cost does not depend on the number of names
/// before that place. The places lie in rows of at most 512. So an insertion or a removal moves few places, however
/// large the index is.
struct NameIndex {
    /// The place of a name in the order.
    struct Place: Equatable {
        let time: Int64
        let name: Name

        /// Whether this place comes before another one.
        func precedes(_ other: Place) -> Bool {
            time != other.time ? time < other.time : name.precedes(other.name)
        }
    }

    private static let longestRow = 512
    /// The rows, none of them empty.
    private var rows: [[Place]] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Inserts a name that the index does not have yet.
    mutating func insert(_ name: Name, at time: Int64) {
        let place = Place(time: time, name: name)
        count += 1
        guard let last = rows.last?.last, place.precedes(last) else { return append(place) }
        let (row, column) = position(of: place)
        rows[row].insert(place, at: column)
        if rows[row].count > Self.longestRow {
            let half = Array(rows[row][(Self.longestRow / 2)...])
            rows[row].removeSubrange((Self.longestRow / 2)...)
            rows.insert(half, at: row + 1)
        }
    }

    private mutating func append(_ place: Place) {
        guard let last = rows.indices.last, rows[last].count < Self.longestRow else {
            var row: [Place] = []
            row.reserveCapacity(Self.longestRow)
            row.append(place)
            return rows.append(row)
        }
        rows[last].append(place)
    }

    /// Removes a name that was inserted with this time; the index must have it.
    mutating func remove(_ name: Name, at time: Int64) {
        let place = Place(time: time, name: name)
        let (row, column) = position(of: place)
        guard row < rows.count, column < rows[row].count, rows[row][column] == place else {
            fatalError("Internal error: the index has no \(name) at \(time).")
        }
        count -= 1
        rows[row].remove(at: column)
        if rows[row].isEmpty { rows.remove(at: row) }
    }

    /// Passes the places after `start` to `body`, in order, until `body` returns false.
    ///
    /// If `backwards` is true, passes the places before `start`, in reverse order. If `start` is nil, the scan begins
    /// at the first place, or at the last place if `backwards` is true.
    func scan(after start: Place?, backwards: Bool, _ body: (Place) -> Bool) {
        if backwards { scanBackwards(before: start, body) } else { scan(after: start, body) }
    }

    private func scan(after start: Place?, _ body: (Place) -> Bool) {
        var (row, column) = start.map { position(of: $0) } ?? (0, 0)
        if let start, row < rows.count, column < rows[row].count, rows[row][column] == start { column += 1 }
        while row < rows.count {
            while column < rows[row].count {
                guard body(rows[row][column]) else { return }
                column += 1
            }
            (row, column) = (row + 1, 0)
        }
    }

    private func scanBackwards(before start: Place?, _ body: (Place) -> Bool) {
        var (row, column) = start.map { position(of: $0) } ?? (rows.count, 0)
        while row >= 0 {
            while column > 0 {
                column -= 1
                guard body(rows[row][column]) else { return }
            }
            row -= 1
            if row >= 0 { column = rows[row].count }
        }
    }

    /// The position of the first place that does not precede `place`; the end of the index if all places precede it.
    private func position(of place: Place) -> (row: Int, column: Int) {
        let row = Self.first(of: rows.count) { !rows[$0][rows[$0].count - 1].precedes(place) }
        guard row < rows.count else { return (row, 0) }
        return (row, Self.first(of: rows[row].count) { !rows[row][$0].precedes(place) })
    }

    /// The smallest number from 0 for which `isReached` is true; `count` if it is false for all numbers below `count`.
    ///
    /// If `isReached` is true for a number, it must be true for all greater numbers, too.
    private static func first(of count: Int, where isReached: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isReached(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension NameIndex.Place {
    /// The place as the cursor of a page.
    var cursor: String { "\(time) \(name)" }

    /// Reads a cursor; nil if it is malformed.
    init?(cursor: String) {
        let parts = cursor.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let time = Int64(parts[0]), let name = try? Name(String(parts[1])) else { return nil }
        self.init(time: time, name: name)
    }
}

extension Name {
    /// Whether the name comes before another one in the order that people expect: `run-2` precedes `run-10`.
    ///
    /// Digits in a name are compared as numbers. An insertion into an index compares about twenty names, so the method
    /// compares their bytes in place, without a copy.
    func precedes(_ other: Name) -> Bool {
        let inPlace = text.utf8.withContiguousStorageIfAvailable { a in
            other.text.utf8.withContiguousStorageIfAvailable { Self.order(a, $0) }
        }
        // A text whose bytes are not in one piece of memory, such as a string of Objective-C, is copied.
        let order =
            (inPlace ?? nil)
            ?? Array(text.utf8).withUnsafeBufferPointer { a in
                Array(other.text.utf8).withUnsafeBufferPointer { Self.order(a, $0) }
            }
        // Of two names with the same numbers, one may have more zeros before a number.
        return order == 0 ? self < other : order < 0
    }

    /// Less than 0 if `a` comes first, more than 0 if `b` does, and 0 if they differ at most in zeros before numbers.
    private static func order(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        var (i, j) = (0, 0)
        while i < a.count, j < b.count {
            guard a[i].isDigit, b[j].isDigit else {
                if a[i] != b[j] { return Int(a[i]) - Int(b[j]) }
                (i, j) = (i + 1, j + 1)
                continue
            }
            let (left, right) = (number(in: a, from: i), number(in: b, from: j))
            if left.count != right.count { return left.count - right.count }
            for (x, y) in zip(left, right) where a[x] != b[y] { return Int(a[x]) - Int(b[y]) }
            (i, j) = (left.upperBound, right.upperBound)
        }
        return (a.count - i) - (b.count - j)
    }

    /// The range of the digits of the number that begins at `start`, without leading zeros.
    private static func number(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Range<Int> {
        var first = start
        while first < text.count, text[first] == 0x30 { first += 1 }
        var end = first
        while end < text.count, text[end].isDigit { end += 1 }
        return first..<end
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
}
