public import ForgeBusProtocol

/// Which entries of the audit to read.
public struct AuditQuery: Hashable, Sendable {
    /// Read the entries after the one with this number; nil reads from the oldest.
    public var after: Int64?
    /// Read the entries since this time, in milliseconds since 1970; nil reads from the oldest.
    ///
    /// The store searches for the first such entry as if no clock was ever set back.
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
    ///   - time: Returns the time of the kept entry with a number.
    /// - Returns: The number before that entry.
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

/// Some entries of the audit, oldest first, with the ends of the chain at that moment.
public struct AuditPage: Sendable {
    /// The most entries of one page.
    public static let limit = 500
    /// The most bytes of the entries of one page; one larger entry is still a page.
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
    /// - Returns: Whether the page has room for another one.
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
    ///   - kept: A head that was kept elsewhere, or nil.
    ///   - read: Calls its parameter for each kept entry, oldest first.
    /// - Returns: Whether it is `sound`; with that, a sound chain's number of entries and its ends, or a broken chain's
    ///   first bad entry and what is wrong with it.
    /// - Throws: An error of `read`, unless it is a flaw of the chain.
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
