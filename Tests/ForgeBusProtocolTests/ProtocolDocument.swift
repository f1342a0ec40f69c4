import Foundation

/// `Protocol.md`, taken apart by headings, tables and examples.
struct ProtocolDocument: Sendable {
    private let lines: [Substring]

    /// Read once; a file that cannot be read ends the tests with its reason.
    static let shared: ProtocolDocument = {
        do {
            let text = try String(contentsOf: TestFiles.document, encoding: .utf8)
            return ProtocolDocument(lines: text.split(separator: "\n", omittingEmptySubsequences: false))
        } catch {
            fatalError("Protocol.md cannot be read: \(error)")
        }
    }()

    /// All lines as they stand.
    var text: String { lines.joined(separator: "\n") }

    /// The headings in order, without their number signs.
    var headings: [String] {
        lines.filter { $0.hasPrefix("#") }.map { $0.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces) }
    }

    /// What stands under a heading, up to the next of any level; empty where there is no such heading.
    func section(_ heading: String) -> ProtocolDocument {
        guard let start = lines.firstIndex(where: { $0 == "## \(heading)" || $0 == "### \(heading)" }) else {
            return ProtocolDocument(lines: [])
        }
        let rest = lines[lines.index(after: start)...]
        return ProtocolDocument(lines: Array(rest.prefix { !$0.hasPrefix("## ") && !$0.hasPrefix("### ") }))
    }

    /// The rows of the table whose first column is headed so, without heading and rule; empty where there is none.
    func table(headed heading: String) -> [[String]] {
        guard let start = lines.firstIndex(where: { $0.hasPrefix("| \(heading) |") }) else { return [] }
        return lines[start...].prefix { $0.hasPrefix("|") }.dropFirst(2).map { row in
            row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The messages of the examples: who says it, and its frames.
    var examples: [(direction: Golden.Vector.Direction, frames: [[UInt8]])] {
        var messages: [(direction: Golden.Vector.Direction, frames: [[UInt8]])] = []
        let directions: [Substring: Golden.Vector.Direction] = ["C: ": .request, "S: ": .answer, "P: ": .publication]
        var isExample = false
        for line in lines {
            if line.hasPrefix("```") {
                isExample = line == "```text"
            } else if isExample, let direction = directions[line.prefix(3)] {
                messages.append((direction, [Array(line.dropFirst(3).utf8)]))
            } else if isExample, line.hasPrefix(" |"), !messages.isEmpty {
                messages[messages.count - 1].frames.append(Array(line.dropFirst(line.hasPrefix(" | ") ? 3 : 2).utf8))
            }
        }
        return messages
    }
}

extension String {
    /// The text without the marks of code around it.
    var unticked: String { trimmingCharacters(in: ["`"]) }
}
