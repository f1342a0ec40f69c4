import ForgeBusProtocol

/// A table for people; ids and commands are never broken at a line end, so that people can copy them.
///
/// If the table is wider than the terminal, the cells of its wide columns are wrapped within their columns. If the wide
/// columns would be too narrow to read, their cells stand below the row.
struct Table {
    /// A column of a table.
    struct Column {
        let title: String
        /// Whether the column's texts may be wrapped, or moved below their rows.
        let isWide: Bool

        static func short(_ title: String) -> Column { Column(title: title, isWide: false) }
        static func wide(_ title: String) -> Column { Column(title: title, isWide: true) }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    /// The text between two columns.
    private static let gap = "  "
    /// The least width of a wide column, in characters.
    ///
    /// If the wide columns get less width, or less than the longest word in them, their cells stand below the row.
    private static let narrowest = 24

    /// Creates a table without rows; each row has as many cells as there are columns.
    init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row; a line end within a cell becomes a space.
    mutating func add(_ row: [String]) {
        rows.append(row.map { Printable.escaped($0.replacing("\n", with: " ")) })
    }

    /// The lines of the table, for a terminal with `width` columns; if `width` is nil, nothing is wrapped.
    func lines(width: Int?) -> [String] {
        let natural = columns.indices.map { column in
            rows.reduce(columns[column].title.count) { max($0, $1[column].count) }
        }
        let total = natural.reduce(Self.gap.count * (columns.count - 1), +)
        guard let width, total > width else { return lines(natural) }
        let wide = columns.indices.filter { columns[$0].isWide }
        let rest = width - (total - wide.reduce(0) { $0 + natural[$1] })
        let words = rows.flatMap { row in wide.flatMap { row[$0].split(separator: " ") } }
        let narrowest = words.reduce(Self.narrowest) { max($0, $1.count) }
        guard !wide.isEmpty, rest / wide.count >= narrowest else { return stacked(natural, width) }
        var widths = natural
        for column in wide { widths[column] = min(natural[column], rest / wide.count) }
        return lines(widths)
    }

    private func lines(_ widths: [Int]) -> [String] {
        ([columns.map(\.title)] + rows).flatMap { Self.lines(of: $0, widths) }
    }

    /// The lines with the wide cells below their rows.
    private func stacked(_ widths: [Int], _ width: Int) -> [String] {
        let short = columns.indices.filter { !columns[$0].isWide }
        let indent = "    "
        var lines = Self.lines(of: short.map { columns[$0].title }, short.map { widths[$0] })
        for row in rows {
            lines += Self.lines(of: short.map { row[$0] }, short.map { widths[$0] })
            for column in columns.indices where columns[column].isWide && !row[column].isEmpty {
                lines += row[column].wrapped(to: width - indent.count).map { indent + $0 }
            }
        }
        return lines
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

extension StringProtocol {
    /// The text in lines of at most `width` characters, broken at spaces; a longer word, such as an id, stays whole.
    func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.isEmpty ? [""] : lines
    }
}

extension String {
    /// The line wrapped to the terminal's width, if there is a terminal; further lines are indented by `indent`.
    func wrappedForTerminal(indent: Int) -> [String] {
        guard Terminal.isInteractive else { return [self] }
        let width = max(60, Terminal.columns)
        guard count > width, indent < width / 2 else { return [self] }
        let lines = String(dropFirst(indent)).wrapped(to: width - indent)
        let blank = String(repeating: " ", count: indent)
        return lines.enumerated().map { ($0 == 0 ? String(prefix(indent)) : blank) + $1 }
    }
}
