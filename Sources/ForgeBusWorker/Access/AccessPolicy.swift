import Crypto
public import ForgeBusProtocol
public import ZeroMQ

/// Who may do what: keys belong to principals, and principals have grants.
///
/// The default is deny, and a denial wins over every grant. A policy is a value and is replaced as a whole: the policy
/// in force when the worker handles a message rules on it. A ruling depends on the request as written, never on what
/// exists, so a refusal can name the missing grant without showing whether an id exists.
///
/// A policy of keys comes from an access file; ``local`` is the policy without keys.
public struct AccessPolicy: Hashable, Sendable {
    /// A public key whose secret the sender has proved to hold.
    public typealias Key = PublicKey

    /// A principal of the policy, with its keys and grants.
    public struct Member: Hashable, Sendable {
        /// The name that records, verdicts and errors show.
        public var name: Name
        /// Its keys, for instance one for each of its processes.
        public var keys: [Key]
        /// What it may do.
        public var grants: Grants

        /// A principal called `name`.
        public init(_ name: Name, keys: [Key], grants: Grants = Grants()) {
            self.name = name
            self.keys = keys
            self.grants = grants
        }
    }

    /// The policy of a worker without keys.
    ///
    /// There is one principal, `local`: every process that reaches a socket of this machine. It may notify, run,
    /// complete and read everything, and administer the store. All runs are its own, so it may cancel them too.
    public static let local = AccessPolicy()

    /// Whether keys identify the senders.
    public let isKeyed: Bool
    private let principals: [Key: Principal]
    private let grants: [String: Grants]

    private init() {
        isKeyed = false
        principals = [:]
        let everything = Self.localRights.map { ($0, Grant(allow: [">"])) }
        grants = [Self.reservedName.text: Grants(Dictionary(uniqueKeysWithValues: everything))]
    }

    /// A policy of these principals; nobody else may connect.
    ///
    /// - Throws: ``WorkerError`` with code `definition` for a name or a key that is given twice, and for the name
    ///   `local`, which means senders without a key.
    public init(_ members: [Member]) throws(WorkerError) {
        var principals: [Key: Principal] = [:]
        var grants: [String: Grants] = [:]
        for member in members {
            let name = member.name.text
            guard member.name != Self.reservedName else {
                throw .policy("The principal's name \(name) stands for senders without a key.")
            }
            guard grants.updateValue(member.grants, forKey: name) == nil else {
                throw .policy("The principal \(name) is given twice.")
            }
            for key in member.keys {
                guard principals.updateValue(Principal(name, key: key), forKey: key) == nil else {
                    throw .policy("The key \(key) is given twice.")
                }
            }
        }
        isKeyed = true
        self.principals = principals
        self.grants = grants
    }

    /// The name that no principal with a key may have.
    public static let reservedName: Name = "local"

    /// The principal that a key belongs to, or nil.
    public func principal(forKey key: Key) -> Principal? { principals[key] }

    /// Whether the principal's key still belongs to it; a principal without a key must be known by name.
    func stands(_ principal: Principal) -> Bool {
        guard let key = principal.key else { return knows(principal) }
        return principals[key] == principal
    }

    /// Whether the policy knows a principal of that name.
    public func knows(_ principal: Principal) -> Bool { grants[principal.name] != nil }

    /// The keys of all principals.
    public var keys: Set<Key> { Set(principals.keys) }

    /// The names of the principals, sorted.
    public var principalNames: [String] { grants.keys.sorted() }

    /// Rules on whether `principal` has a right on a target.
    ///
    /// For one run, call ``ruling(for:_:on:known:)`` instead, because its owner counts too.
    public func ruling(for principal: Principal, _ right: Right, on target: Target) -> Ruling {
        // Without keys, a right covers everything or nothing, so there are no patterns to compare.
        guard isKeyed else { return Self.isLocal(right, target) ? .allowed : .missing(right, target) }
        return grants[principal.name]?[right].covers(target) == true ? .allowed : .missing(right, target)
    }

    static let localRights: Set<Right> = [.notify, .run, .complete, .read]
    private static let storeVerbs: NamePattern = "store.>"

    /// Whether processes without a key may do this; they may also administer the store, which is on their machine.
    private static func isLocal(_ right: Right, _ target: Target) -> Bool {
        localRights.contains(right) || right == .admin && storeVerbs.covers(target.text)
    }
}

extension AccessPolicy {
    /// Sixteen hexadecimal digits that name the policy: the same for the same keys and grants, however written.
    public var digest: String {
        let digest = SHA256.hash(data: Array(canonicalText.utf8))
        return digest.withUnsafeBytes { bytes in
            let word = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self).bigEndian
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
    }

    private var canonicalText: String {
        let keys = principals.map { "key \($0.key) \($0.value.name)" }
        let rights = grants.flatMap { name, grants in ["principal \(name)"] + grants.lines.map { "\(name) \($0)" } }
        return (["keyed \(isKeyed)"] + (keys + rights).sorted()).joined(separator: "\n")
    }
}

extension WorkerError {
    fileprivate static func policy(_ cause: String) -> WorkerError {
        WorkerError(.definition, cause, next: "Correct the access policy.")
    }
}
