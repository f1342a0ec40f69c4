import ForgeBusProtocol
import ForgeBusStore

extension StoreTask {
    /// Makes the store task of an ADMIN request.
    ///
    /// - Throws: `BusError` with code `unknown_verb` for an unknown verb, or `bad_body` for an argument that is
    ///   missing, malformed, or not one of the verb's arguments.
    init(_ request: AdminRequest) throws(BusError) {
        switch request.verb.text {
        case "store.verify":
            try request.takes()
            self = .verify
        case "store.stats":
            try request.takes()
            self = .stats
        case "store.backup":
            try request.takes("name")
            guard let name = request.arguments["name"]?.string.flatMap({ try? Name($0) }) else {
                let found = request.arguments["name"].map { Printable.cut($0.description, to: 80) } ?? "none"
                throw request.flaw(Errors.noCopyName(found: found))
            }
            self = .backup(name: name)
        case "store.audit.page":
            try request.takes("after", "since_ms")
            self = .auditPage(AuditQuery(after: try request.number("after"), since: try request.number("since_ms")))
        case "store.audit.verify":
            try request.takes("head")
            self = .auditCheck(head: try request.head())
        default:
            throw Errors.unknownVerb(request.verb)
        }
    }

    /// Whether the ledger keeps the answer for a repetition of the request.
    ///
    /// The ledger does not keep pages of the audit: they are large, and a repeated request can read them again without
    /// harm.
    var isKept: Bool {
        switch self {
        case .verify, .stats, .backup, .auditCheck: true
        case .auditPage: false
        }
    }

    /// Whether the task gets an audit record; an export of the audit gets a record only for its first page.
    var isAudited: Bool {
        switch self {
        case .verify, .stats, .backup, .auditCheck: true
        case .auditPage(let query): query.after == nil
        }
    }
}

extension AdminRequest {
    /// Checks that the request has no arguments except these.
    ///
    /// - Throws: `BusError` with code `bad_body`.
    fileprivate func takes(_ keys: String...) throws(BusError) {
        if let other = arguments.entries.first(where: { !keys.contains($0.key) }) {
            throw flaw("takes no argument \(Printable.quoted(other.key))")
        }
    }

    fileprivate func number(_ key: String) throws(BusError) -> Int64? {
        guard let value = arguments[key] else { return nil }
        guard let number = value.integer, number >= 0 else {
            throw flaw("needs an integer of 0 or more as `\(key)`; found \(Printable.cut(value.description, to: 80))")
        }
        return number
    }

    fileprivate func head() throws(BusError) -> AuditHead? {
        guard let value = arguments["head"] else { return nil }
        guard let head = value.string.flatMap({ AuditHead($0) }) else {
            throw flaw(Errors.noHead(found: Printable.cut(value.description, to: 80)))
        }
        return head
    }

    fileprivate func flaw(_ flaw: String) -> BusError { Errors.badArguments(verb, flaw) }
}
