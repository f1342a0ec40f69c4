extension AccessPolicy {
    /// The sender of a message.
    public struct Principal: Hashable, Sendable {
        /// The name that records, verdicts and errors show.
        public let name: String
        /// The name in the ledger, where each sender has ids of its own; without keys it includes the label.
        let ledgerName: String
        /// The key of its connection: the principal may lose one key and keep another.
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

        /// The key of its connection as text, or nil.
        var keyText: String? { key.map { "\($0)" } }

        /// Whether two are the same principal, whatever their keys.
        public static func == (a: Principal, b: Principal) -> Bool { a.name == b.name && a.ledgerName == b.ledgerName }

        /// Hashes the names, not the key.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(ledgerName)
        }

        /// A process of this machine, where senders have no keys.
        public static let local = Principal(AccessPolicy.reservedName.text)

        /// A process of this machine that calls itself `source`: a label, which proves nothing.
        static func local(source: String?) -> Principal {
            guard let source else { return local }
            return Principal(name: local.name, ledgerName: "\(local.name)/\(source)")
        }
    }
}
