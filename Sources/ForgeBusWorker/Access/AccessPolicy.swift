import Crypto
public import ForgeBusProtocol
public import ZeroMQ

/// Who may do what: keys stand for principals, principals have grants.
///
/// Default is deny, and a denial wins over every grant. A policy is a value: another one takes its place as a whole,
/// and every message is ruled on by the one that holds when it is handled. What is ruled on is the request as it was
/// spelled, never what is known of it, so a refusal may name the missing grant without telling whether an id exists.
///
/// A policy of keys comes from an access file; ``local`` is what holds where nobody has a key.
public struct AccessPolicy: Hashable, Sendable {
    /// A public key, which a sender has proved to hold.
    public typealias Key = PublicKey

    /// Somebody the policy knows.
    public struct Member: Hashable, Sendable {
        /// The name that records, verdicts and errors show.
        public var name: Name
        /// The keys that stand for it, one for each of its processes for instance.
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

    /// Who may do what where nobody has a key.
    ///
    /// There is one principal, `local`: every process that reaches a socket of this machine. It may notify, run,
    /// complete and read, all of everything, and so cancel its own runs, which are all runs.
    public static let local = AccessPolicy()

    /// Whether senders are told apart by their keys.
    public let isKeyed: Bool
    private let principals: [Key: Principal]
    private let grants: [String: Grants]

    private init() {
        isKeyed = false
        principals = [:]
        let everything = Self.localRights.map { ($0, Grant(allow: [">"])) }
        grants = [Self.reservedName.text: Grants(Dictionary(uniqueKeysWithValues: everything))]
    }

    /// A policy of these principals; nobody else may even connect.
    ///
    /// - Throws: ``WorkerError`` with code `definition` for a name or a key that is given twice, and for the name
    ///   `local`, which stands for senders without a key.
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

    /// The principal that a key stands for, or nil.
    public func principal(forKey key: Key) -> Principal? { principals[key] }

    /// Whether the key that somebody spoke with still stands for them; who spoke without one has to be known.
    func stands(_ principal: Principal) -> Bool {
        guard let key = principal.key else { return knows(principal) }
        return principals[key] == principal
    }

    /// Whether the policy knows a principal of that name.
    public func knows(_ principal: Principal) -> Bool { grants[principal.name] != nil }

    /// Every key that stands for somebody.
    public var keys: Set<Key> { Set(principals.keys) }

    /// The names of the principals, sorted.
    public var principalNames: [String] { grants.keys.sorted() }

    /// What the policy says to `principal` who claims a right on a target.
    ///
    /// For what concerns one run, ask ``ruling(for:_:on:known:)`` instead: whose it is decides, too.
    public func ruling(for principal: Principal, _ right: Right, on target: Target) -> Ruling {
        // Nobody without a key has less than everything of a right, so there is nothing to compare.
        guard isKeyed else { return Self.isLocal(right, target) ? .allowed : .missing(right, target) }
        return grants[principal.name]?[right].covers(target) == true ? .allowed : .missing(right, target)
    }

    static let localRights: Set<Right> = [.notify, .run, .complete, .read]
    private static let storeVerbs: NamePattern = "store.>"

    /// Whether processes without a key may do this: they may also look after the worker's store, which is on their machine.
    private static func isLocal(_ right: Right, _ target: Target) -> Bool {
        localRights.contains(right) || right == .admin && storeVerbs.covers(target.text)
    }
}

extension AccessPolicy {
    /// Names the policy: sixteen hexadecimal digits, the same for the same keys and grants however they were written.
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
