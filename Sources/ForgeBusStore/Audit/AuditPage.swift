public import ForgeBusProtocol

/// Selects the entries of the audit to read.
public struct AuditQuery: Hashable, Sendable {
    /// Read the entries after the entry with this number; nil reads from the oldest entry.
    public var after: Int64?
    /// Read the entries since this time, in milliseconds since 1970; nil does not limit the time.
    ///
    /// The search for the first such entry assumes that the times of the entries never decrease.
    public var since: Int64?

    /// Creates a query, by default for the oldest entries.
    public init(after: Int64? = nil, since: Int64? = nil) {
        self.after = after
        self.since = since
    }

    /// Finds the first entry to read.
    ///
    /// - Parameters:
    ///   - chain: The ends of the chain.
    ///   - time: Returns the time of a kept entry, in milliseconds since 1970; its parameter is the entry's number.
    /// - Returns: The number of the entry before the first one to read.
    /// - Throws: An error of `time`.
    public func start(in chain: AuditChain, time: (Int64) throws -> Int64) rethrows -> Int64 {
        var (low, high) = (min(max(after ?? 0, chain.anchor.number), chain.head.number), chain.head.number)
        guard let since else { return low }
        while low < high {
            let middle = low + (high - low) / 2
            if try time(middle + 1) < since { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Some entries of the audit, oldest first, with the ends of the chain when the page was read.
public struct AuditPage: Sendable {
    /// The largest number of entries on one page.
    public static let limit = 500
    /// A page is full as soon as its entries have at least this many bytes; its last entry may make it larger.
    public static let sizeInBytes = 256 * 1024

    /// The entry before the first one of the page.
    public let anchor: AuditHead
    private let chain: AuditChain
    private var lines: [JSONValue] = []
    private var size = 0
    private var last: AuditHead

    /// Creates an empty page of the entries of `chain` after `anchor`.
    public init(after anchor: AuditHead, of chain: AuditChain) {
        self.anchor = anchor
        self.chain = chain
        last = anchor
    }

    /// Adds the next entry.
    ///
    /// - Returns: Whether the page has room for another entry.
    public mutating func add(_ link: AuditLink) -> Bool {
        lines.append(.string(AuditExport.line(of: link)))
        size += link.bytes.count
        last = link.head
        return lines.count < Self.limit && size < Self.sizeInBytes
    }

    /// The page as the answer for an operator.
    public var json: JSONObject {
        [
            "anchor": .string("\(anchor)"), "last": .string("\(last)"), "head": .string("\(chain.head)"),
            "lines": .array(lines),
        ]
    }
}

extension AuditCheck {
    /// Checks a whole chain, and describes the outcome for an operator.
    ///
    /// - Parameters:
    ///   - chain: The ends of the chain.
    ///   - kept: A head that somebody has kept outside the store, and that the chain must contain; nil if no head was
    ///     given.
    ///   - read: Reads all kept entries, oldest first, and calls its parameter with each of them.
    /// - Returns: The member `sound` says whether the chain is good. For a good chain, the number of entries and the
    ///   ends of the chain follow. For a bad chain, the first bad entry and its flaw follow.
    /// - Throws: An error of `read`, except ``AuditFlaw``.
    public static func report(
        on chain: AuditChain,
        through kept: AuditHead?,
        _ read: ((AuditLink) throws -> Void) throws -> Void
    ) throws -> JSONObject {
        var check = AuditCheck(after: chain.anchor, through: kept)
        do {
            try read { try check.add($0) }
            try check.end(at: chain.head)
        } catch let flaw as AuditFlaw {
            return ["sound": false, "entry": .integer(flaw.number ?? 0), "flaw": .string("\(flaw)")]
        }
        return [
            "sound": true, "entries": .integer(chain.count), "anchor": .string("\(chain.anchor)"),
            "head": .string("\(chain.head)"),
        ]
    }
}
