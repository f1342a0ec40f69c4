import Foundation
import TestSupport

/// A reference from one document to another, or to a file.
struct Link: Equatable, Sendable {
    let line: Int
    /// As it is written: `doc:Name`, a path, or a path and `#section`.
    let target: String
}

extension Document {
    /// Every reference to something of this package, in order: neither to the web, nor inside code.
    func links() throws(DocumentError) -> [Link] {
        let code = try codeBlocks().map { $0.firstLine - 1...$0.firstLine + $0.lines.count }
        var links: [Link] = []
        for section in sections {
            for (index, line) in section.lines.enumerated() {
                let number = section.firstLine + index
                guard !code.contains(where: { $0.contains(number) }) else { continue }
                let prose = Self.withoutCode(line)
                for match in prose.matches(of: /<(doc:[^>\s]+)>|\]\(([^)\s]+)\)/) {
                    let target = String(match.output.1 ?? match.output.2 ?? "")
                    if !target.contains("://"), !target.hasPrefix("mailto:") {
                        links.append(Link(line: number, target: target))
                    }
                }
            }
        }
        return links
    }

    /// Why the reader would arrive nowhere; nil if the target exists.
    func flaw(of link: Link) -> String? {
        let parts = link.target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let (place, section) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
        let isArticle = place.hasPrefix("doc:")
        let target = isArticle ? article(named: String(place.dropFirst(4))) : file(at: place)
        guard let target, Repository.exists(target) else { return "\(path):\(link.line): \(link.target) is not there" }
        guard let section else { return nil }
        let headings = (try? Self.headings(in: Repository.text(of: target))) ?? []
        let isThere = headings.contains { section == (isArticle ? Self.fragment(of: $0) : Self.anchor(of: $0)) }
        return isThere ? nil : "\(path):\(link.line): \(target) has no section \(section)"
    }

    /// Articles are looked up by name in the catalogue of the same module, in whatever folder they are.
    private func article(named name: String) -> String? {
        if name.isEmpty { return path }
        let module = path.split(separator: "/").prefix(2).joined(separator: "/")
        return try? Repository.articlePaths().first { $0.hasPrefix("\(module)/") && $0.hasSuffix("/\(name).md") }
    }

    private func file(at place: String) -> String? {
        guard !place.isEmpty else { return path }
        var parts = path.split(separator: "/").dropLast()
        for part in place.split(separator: "/") where part != "." {
            if part != ".." { parts.append(part) } else if parts.popLast() == nil { return nil }
        }
        return parts.joined(separator: "/")
    }

    private static func headings(in text: String) -> [Substring] {
        text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { $0.drop { $0 == "#" || $0 == " " } }
    }

    /// What follows `#` for a heading, as DocC makes it.
    private static func fragment(of heading: Substring) -> String {
        String(heading.filter { !"'\"`".contains($0) }.map { $0.isWhitespace ? "-" : $0 })
    }

    /// What follows `#` for a heading, as renderers of Markdown make it.
    private static func anchor(of heading: Substring) -> String {
        heading.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.replacing(" ", with: "-")
    }

    private static func withoutCode(_ line: Substring) -> Substring { line.replacing(/`+[^`]*`+/, with: "") }
}
