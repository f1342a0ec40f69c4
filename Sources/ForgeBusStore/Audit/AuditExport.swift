public import ForgeBusProtocol

/// Writes, reads and checks an exported audit: one line for each entry, oldest first, then a footer.
///
/// An entry's line is its JSON with its hash as the last member. To check a line, remove `,"hash":"…"`. Then compute
/// SHA-256 over the hash of the previous entry, as 64 hexadecimal digits, and the rest of the line. The result must be
/// the removed hash. The hash before the first line is the footer's `anchor`.
public enum AuditExport {
    /// The last line of an export.
    public struct Footer: Hashable, Sendable {
        /// The entry before the first one of the export.
        public var anchor: AuditHead
        /// The last entry of the export; equal to `anchor` if the export has no entry.
        public var head: AuditHead

        /// Creates the footer of an export of the entries after `anchor`, up to and including `head`.
        public init(after anchor: AuditHead, to head: AuditHead) {
            self.anchor = anchor
            self.head = head
        }

        /// The number of entries in the export.
        public var count: Int64 { head.number - anchor.number }

        /// The footer as a JSON object.
        public var json: JSONObject {
            [
                "first": .integer(anchor.number + 1), "last": .integer(head.number), "count": .integer(count),
                "anchor": .string(anchor.hash.hexadecimal), "head": .string(head.hash.hexadecimal),
            ]
        }

        /// Reads a footer; nil if the object is not the ``json`` of a footer.
        init?(_ object: JSONObject) {
            guard let first = object["first"]?.integer, let last = object["last"]?.integer, first >= 1,
                last >= first - 1,
                let anchor = object["anchor"]?.string.flatMap(Fingerprint.init(hexadecimal:)),
                let head = object["head"]?.string.flatMap(Fingerprint.init(hexadecimal:))
            else { return nil }
            self.init(after: AuditHead(first - 1, anchor), to: AuditHead(last, head))
        }
    }

    private static let hashKey = #","hash":""#
    /// The number of bytes that a hash adds to a line as its last member, with the closing brace.
    private static let suffixSize = hashKey.utf8.count + 64 + 2

    /// Returns the line of an entry, without its line end.
    public static func line(of link: AuditLink) -> String {
        String(decoding: link.bytes.dropLast(), as: UTF8.self) + "\(hashKey)\(link.hash.hexadecimal)\"}"
    }

    /// Reads the line of an entry; nil if the bytes are not such a line.
    public static func link(in line: ArraySlice<UInt8>) -> AuditLink? {
        guard let object = (try? JSONValue(parsing: line))?.object, let number = object["number"]?.integer,
            let time = object["at_ms"]?.integer,
            let hash = object["hash"]?.string.flatMap(Fingerprint.init(hexadecimal:)),
            line.suffix(suffixSize).elementsEqual("\(hashKey)\(hash.hexadecimal)\"}".utf8)
        else { return nil }
        return AuditLink(number, at: time, line.dropLast(suffixSize) + [UInt8(ascii: "}")], hash: hash)
    }

    /// Checks a whole export.
    ///
    /// The check holds the lines of the whole export in memory.
    ///
    /// - Parameters:
    ///   - bytes: The export, with its line ends.
    ///   - kept: The head of this export, as somebody has kept it apart from the export; nil if nobody has kept it. The
    ///     last entry of the export must be this head. Only this comparison shows that somebody has removed or added
    ///     entries, and then computed the hashes again.
    /// - Returns: The export's footer.
    /// - Throws: ``AuditFlaw`` with the first bad entry.
    public static func check(_ bytes: [UInt8], endingAt kept: AuditHead? = nil) throws(AuditFlaw) -> Footer {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard !bytes.isEmpty else { throw Errors.emptyExport }
        // The last line ends with a line end, and nothing follows it.
        guard lines.count >= 2, lines[lines.count - 1].isEmpty else { throw Errors.cutExport }
        guard let footer = footer(in: lines[lines.count - 2]) else { throw Errors.noFooter }
        var check = AuditCheck(after: footer.anchor)
        for line in lines.dropLast(2) {
            try check.add(line: line)
        }
        try check.end(at: footer.head, accordingTo: "the last line of the export")
        guard kept == nil || kept == footer.head else { throw misses(kept ?? .start, footer.head) }
        return footer
    }

    private static func footer(in line: ArraySlice<UInt8>) -> Footer? {
        guard let object = (try? JSONValue(parsing: line))?.object, let footer = Footer(object),
            JSONValue.object(footer.json).encoded.elementsEqual(line)
        else { return nil }
        return footer
    }

    private static func misses(_ kept: AuditHead, _ head: AuditHead) -> AuditFlaw {
        if kept.number > head.number { return Errors.endsBefore(kept.number, "the export", last: head.number) }
        if kept.number < head.number { return Errors.afterKept(kept.number) }
        return Errors.otherThanKept(head.number)
    }
}

extension AuditCheck {
    /// Checks the next entry, as a line of an export.
    ///
    /// - Throws: ``AuditFlaw`` if the entry is bad, or if the bytes are not the line of an entry.
    public mutating func add(line: ArraySlice<UInt8>) throws(AuditFlaw) {
        guard let link = AuditExport.link(in: line) else {
            throw Errors.noLine(last.number + 1)
        }
        try add(link)
    }
}
