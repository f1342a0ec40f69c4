package import ForgeBusProtocol

/// The text of an access file, which is changed in place: whatever does not change stays as it is, comments included.
///
/// It knows the layout that <doc:TheAccessFile> shows: one line for each principal and group, with its content on the
/// lines below or in brackets. Who changes a text must read the result as an ``AccessFile``, and compare.
package struct AccessText {
    private var lines: [String]

    /// The whole text.
    package var text: String { lines.joined(separator: "\n") }

    /// Takes the text of a file.
    package init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Adds a principal after the others, with these lines, and to these groups.
    package mutating func add(_ name: Name, _ content: [String], groups: [Name]) {
        let block = section("principals")
        let indent = block.map { child(in: $0) } ?? "  "
        append("principals", ["\(indent)\(name):"] + content.map { "\(indent)  \($0)" })
        for group in groups { add(name, to: group) }
    }

    /// Removes a principal, and its name from all groups.
    package mutating func remove(_ name: Name) {
        if let block = section("principals"), let own = entry(name.text, in: block) { lines.removeSubrange(own) }
        guard let groups = section("groups") else { return }
        for place in groups.reversed() {
            if lines[place].trimmed == "- \(name)" { lines.remove(at: place) } else { remove(name, fromListAt: place) }
        }
    }

    private mutating func add(_ name: Name, to group: Name) {
        guard let block = section("groups"), let own = entry(group.text, in: block) else {
            let indent = section("groups").map { child(in: $0) } ?? "  "
            return append("groups", ["\(indent)\(group): [\(name)]"])
        }
        let head = lines[own.lowerBound]
        if let begin = head.firstIndex(of: "["), let end = head[begin...].firstIndex(of: "]") {
            let isEmpty = head[head.index(after: begin)..<end].allSatisfy { $0 == " " }
            lines[own.lowerBound].insert(contentsOf: isEmpty ? "\(name)" : ", \(name)", at: end)
        } else if let last = own.last(where: { lines[$0].trimmed.hasPrefix("- ") }) {
            lines.insert("\(lines[last].prefix { $0 == " " })- \(name)", at: last + 1)
        }
    }

    private mutating func remove(_ name: Name, fromListAt place: Int) {
        let line = lines[place]
        guard let begin = line.firstIndex(of: "["), let end = line[begin...].firstIndex(of: "]") else { return }
        let inner = line.index(after: begin)..<end
        let all = line[inner].split(separator: ",", omittingEmptySubsequences: false)
        let left = all.filter { String($0).trimmed != name.text }
        guard left.count < all.count else { return }
        lines[place].replaceSubrange(inner, with: left.joined(separator: ",").drop { $0 == " " })
    }

    /// Adds lines at the end of a section, which is added if there is none.
    private mutating func append(_ key: String, _ added: [String]) {
        guard let block = section(key) else {
            while lines.last?.isEmpty == true { lines.removeLast() }
            lines += (lines.isEmpty ? [] : [""]) + ["\(key):"] + added + [""]
            return
        }
        lines.insert(contentsOf: added, at: block.upperBound)
    }

    /// The lines below a key of the file, up to the last one with content; nil without the key.
    private func section(_ key: String) -> Range<Int>? {
        guard let head = lines.firstIndex(where: { $0 == "\(key):" || $0.hasPrefix("\(key): ") }) else { return nil }
        return below(head, indent: 0, in: lines.count)
    }

    /// The lines of an entry of a section; nil if it does not have the entry.
    private func entry(_ name: String, in block: Range<Int>) -> Range<Int>? {
        let indent = child(in: block)
        guard let head = block.first(where: { lines[$0].hasPrefix("\(indent)\(name):") }) else { return nil }
        return head..<below(head, indent: indent.count, in: block.upperBound).upperBound
    }

    /// The lines after `head` that are indented further, up to the last one with content.
    private func below(_ head: Int, indent: Int, in end: Int) -> Range<Int> {
        var last = head
        for place in head + 1..<max(head + 1, end) {
            let line = lines[place]
            if line.trimmed.isEmpty || line.trimmed.hasPrefix("#") { continue }
            guard line.prefix(while: { $0 == " " }).count > indent else { break }
            last = place
        }
        return head + 1..<last + 1
    }

    /// The indentation of a section's entries.
    private func child(in block: Range<Int>) -> String {
        let first = block.first { !lines[$0].trimmed.isEmpty && !lines[$0].trimmed.hasPrefix("#") }
        return first.map { String(lines[$0].prefix { $0 == " " }) } ?? "  "
    }
}

extension String {
    /// The text without spaces at its ends.
    fileprivate var trimmed: String {
        let rest = drop { $0 == " " || $0 == "\r" }
        return String(rest.reversed().drop { $0 == " " || $0 == "\r" }.reversed())
    }
}
