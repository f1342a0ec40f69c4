import ForgeBusProtocol

extension AccessPolicy {
    /// The principal that sends a message, known by its name.
    public struct Principal: Hashable, Sendable {
        /// The principal's name, as records, verdicts and errors show it.
        public let name: String
        /// The name in the ledger, where each sender has its own request ids; without keys the name includes the
        /// sender's label.
        let ledgerName: String
        /// The key of the sender's connection; nil if this value was created without a key.
        ///
        /// A principal may have several keys, and a new policy can remove one of them.
        let key: Key?
        /// The principal that sends the requests of this one, such as a gateway; nil if this one sends them itself.
        let via: String?

        /// Creates the principal called `name` of a policy with keys.
        public init(_ name: String) {
            self.name = name
            ledgerName = name
            key = nil
            via = nil
        }

        /// Creates the principal called `name` of a policy with keys.
        ///
        /// The principal `via` sends its requests; with nil, the principal sends them itself.
        init(_ name: String, via: String?) { self.init(name: name, ledgerName: name, via: via) }

        /// Creates the principal called `name`, which sends with one of its keys.
        init(_ name: String, key: Key) {
            self.name = name
            ledgerName = name
            self.key = key
            via = nil
        }

        private init(name: String, ledgerName: String, key: Key? = nil, via: String? = nil) {
            self.name = name
            self.ledgerName = ledgerName
            self.key = key
            self.via = via
        }

        /// The principal for which this one sends a request; this principal itself if `name` is nil.
        func acting(for name: Name?) -> Principal {
            guard let name else { return self }
            return Principal(name: name.text, ledgerName: name.text, key: key, via: self.name)
        }

        /// The key of the sender's connection as text; nil if ``key`` is nil.
        var keyText: String? { key.map { "\($0)" } }

        /// Whether both have the same name and the same name in the ledger; keys and `via` may differ.
        public static func == (a: Principal, b: Principal) -> Bool { a.name == b.name && a.ledgerName == b.ledgerName }

        /// Hashes the principal's names, not the key.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(ledgerName)
        }

        /// The principal of a worker without keys, which stands for every process of this machine.
        public static let local = Principal(AccessPolicy.reservedName.text)

        /// The name, if a key proves it; nil for a sender without a key.
        var provenName: String? { name == AccessPolicy.reservedName.text ? nil : name }

        /// The worker itself, which requests runs for its monitors and events.
        static let worker = Principal(AccessPolicy.workerName.text)

        /// A process of this machine that calls itself `source`; that label proves nothing.
        static func local(source: String?) -> Principal {
            guard let source else { return local }
            return Principal(name: local.name, ledgerName: "\(local.name)/\(source)")
        }
    }
}
