/// A table for people: a header, and rows whose cells are wrapped within their columns.
struct Table {
    private let header: [String]
    private var rows: [[String]] = []

    /// The text between two columns.
    private static let gap = "  "
    /// A column is made narrower than its text down to this width, as long as the table is too wide.
    private static let narrowest = 8

    /// Creates a table without rows; each row has as many cells as the header.
    init(_ header: [String]) { self.header = header }

    mutating func add(_ row: [String]) { rows.append(row) }

    /// The lines of the table, at most `width` columns wide if the header fits; nil wraps nothing.
    func lines(width: Int?) -> [String] {
        let widths = widths(within: width)
        return ([header] + rows).flatMap { Self.lines(of: $0, widths) }
    }

    /// The widths of the columns: those of their texts, or less, so that the table fits.
    private func widths(within width: Int?) -> [Int] {
        var widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        guard let width else { return widths }
        let least = header.map { max($0.count, Self.narrowest) }
        var excess = widths.reduce(Self.gap.count * (widths.count - 1), +) - width
        while excess > 0,
            let widest = widths.indices.filter({ widths[$0] > least[$0] }).max(by: { widths[$0] < widths[$1] })
        {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private static func lines(of row: [String], _ widths: [Int]) -> [String] {
        let cells = zip(row, widths).map { $0.wrapped(to: $1) }
        let height = cells.map(\.count).max() ?? 1
        return (0..<height).map { line in
            let parts = zip(cells, widths).map { cell, width in
                let text = line < cell.count ? cell[line] : ""
                return text + String(repeating: " ", count: max(0, width - text.count))
            }
            return String(parts.joined(separator: gap).reversed().drop { $0 == " " }.reversed())
        }
    }
}

extension String {
    /// The text in lines of at most `width` characters, broken at spaces, else after one of `./-`, else anywhere.
    func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        var rest = self[...]
        while rest.count > width, width > 0 {
            let head = rest.prefix(width)
            if rest[head.endIndex] == " " {
                lines.append(String(head))
                rest = rest[head.endIndex...].dropFirst()
            } else if let space = head.lastIndex(of: " ") {
                lines.append(String(head[..<space]))
                rest = rest[space...].dropFirst()
            } else {
                let joint = head.lastIndex { "./-".contains($0) }.map { head.index(after: $0) } ?? head.endIndex
                lines.append(String(head[..<joint]))
                rest = rest[joint...]
            }
        }
        return lines + [String(rest)]
    }
}
