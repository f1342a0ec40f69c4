extension AccessPolicy {
    /// Who speaks.
    public struct Principal: Hashable, Sendable {
        /// The name that records, verdicts and errors show.
        public let name: String
        /// What keeps ids of different senders apart in the ledger: the name, and without keys the sender's label too.
        let ledgerName: String
        /// The key it spoke with: a connection's own, because another key of the principal may go.
        let key: Key?

        /// The principal that is called `name` in a policy of keys.
        public init(_ name: String) {
            self.name = name
            ledgerName = name
            key = nil
        }

        /// The principal that is called `name`, speaking with one of its keys.
        init(_ name: String, key: Key) {
            self.name = name
            ledgerName = name
            self.key = key
        }

        private init(name: String, ledgerName: String) {
            self.name = name
            self.ledgerName = ledgerName
            key = nil
        }

        /// The key it spoke with, as text; nil for who has none.
        var keyText: String? { key.map { "\($0)" } }

        /// Whether two are the same principal, whichever keys they spoke with.
        public static func == (a: Principal, b: Principal) -> Bool { a.name == b.name && a.ledgerName == b.ledgerName }

        /// Hashes who it is, not the key.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(ledgerName)
        }

        /// A process of this machine, where senders have no keys.
        public static let local = Principal(AccessPolicy.reservedName.text)

        /// A process of this machine that calls itself `source`: a label, which says nothing of who it is.
        static func local(source: String?) -> Principal {
            guard let source else { return local }
            return Principal(name: local.name, ledgerName: "\(local.name)/\(source)")
        }
    }
}
