import ForgeBusProtocol

/// Checks a chain entry by entry, oldest first, and stops at the first bad entry.
public struct AuditCheck {
    /// The last entry that passed the check; at first, the anchor.
    public private(set) var last: AuditHead
    /// A head that somebody has kept outside the store, and that the chain must contain; nil if no head was given.
    private let kept: AuditHead?
    /// The number of the first entry to check.
    private let first: Int64
    /// Whether the check has found ``kept`` in the chain; also true if ``kept`` is nil.
    private var foundKept: Bool

    /// Begins a check of the entries after `anchor`.
    ///
    /// - Parameters:
    ///   - anchor: The number and the hash of the entry before the first one to check.
    ///   - kept: A head that somebody has kept outside the store, and that the chain must contain; nil if no head was
    ///     given.
    public init(after anchor: AuditHead, through kept: AuditHead? = nil) {
        last = anchor
        first = anchor.number + 1
        self.kept = kept
        foundKept = kept == nil || kept == anchor
    }

    /// Checks the next entry.
    ///
    /// - Throws: ``AuditFlaw`` if the entry is bad.
    public mutating func add(_ link: AuditLink) throws(AuditFlaw) {
        let number = last.number + 1
        guard link.number == number else { throw AuditFlaw(number, "is missing: entry \(link.number) is in its place") }
        guard link.names(number) else { throw Errors.misnumbered(number) }
        guard last.hash.chained(to: link.bytes) == link.hash else { throw Errors.wrongHash(number) }
        last = link.head
        guard number == kept?.number else { return }
        guard last == kept else { throw Errors.otherThanKept(number) }
        foundKept = true
    }

    /// Ends the check, after all entries.
    ///
    /// - Parameter head: The newest entry, as the store or the export records it separately from the entries.
    /// - Throws: ``AuditFlaw`` if the last entry of the chain is not `head`, or if the chain does not contain the head
    ///   that somebody has kept outside the store.
    public func end(at head: AuditHead) throws(AuditFlaw) {
        try end(at: head, accordingTo: "the store's record of the audit's end")
    }

    /// Ends the check like ``end(at:)``; the flaw says that `source` names the newest entry.
    func end(at head: AuditHead, accordingTo source: String) throws(AuditFlaw) {
        guard last.number >= head.number else { throw Errors.endsEarly(last.number + 1, source, last: head.number) }
        guard last.number == head.number else { throw Errors.endsLate(last.number, source, last: head.number) }
        guard last == head else { throw Errors.otherLastHash(last.number, source) }
        guard let kept, !foundKept else { return }
        // The hash of the last dropped entry is known.
        guard kept.number != first - 1 else { throw Errors.otherThanKept(kept.number) }
        guard kept.number > last.number else { throw Errors.olderThanKept(kept.number, first: first) }
        throw Errors.endsBefore(kept.number, "the audit", last: last.number)
    }
}

extension AuditLink {
    /// Whether the entry's bytes begin with the number of a form, the entry number `number` and this link's time.
    fileprivate func names(_ number: Int64) -> Bool {
        let form = #"{"form":"#.utf8
        guard bytes.starts(with: form) else { return false }
        let rest = bytes.dropFirst(form.count).drop { (0x30...0x39).contains($0) }
        return rest.starts(with: #","number":\#(number),"at_ms":\#(unixMilliseconds),"#.utf8)
    }
}

/// The first bad entry of a chain, and the description of its flaw.
public struct AuditFlaw: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of the entry; nil if the flaw is in the export's last line.
    public var number: Int64?
    /// The description of the flaw, as the end of a sentence that begins with the entry's number.
    public var flaw: String

    /// Creates the flaw of the entry with this number.
    public init(_ number: Int64?, _ flaw: String) {
        self.number = number
        self.flaw = flaw
    }

    /// The entry and its flaw, as a sentence that can follow a colon.
    public var description: String {
        "\(number.map { "entry \($0) of the audit" } ?? "the last line of the export") \(flaw)"
    }
}
