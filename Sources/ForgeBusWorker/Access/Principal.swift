extension AccessPolicy {
    /// Who speaks.
    public struct Principal: Hashable, Sendable {
        /// The name that records, verdicts and errors show.
        public let name: String
        /// What keeps ids of different senders apart in the ledger: the name, and without keys the sender's label too.
        let ledgerName: String

        /// The principal that is called `name` in a policy of keys.
        public init(_ name: String) {
            self.name = name
            ledgerName = name
        }

        private init(name: String, ledgerName: String) {
            self.name = name
            self.ledgerName = ledgerName
        }

        /// A process of this machine that calls itself `source`: a label, which says nothing of who it is.
        static func local(source: String?) -> Principal {
            Principal(name: "local", ledgerName: source.map { "local/\($0)" } ?? "local")
        }
    }
}
