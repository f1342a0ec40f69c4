import Crypto
public import ForgeBusProtocol
public import ZeroMQ

/// The access rules of a worker: keys belong to principals, and principals have grants.
///
/// A request without a grant is refused, and a denial wins over every grant. A worker replaces its policy only as a
/// whole: the policy in force when the worker handles a message decides on that message. The text of a refusal depends
/// only on the request and the grants. So it can name the missing grant without showing whether an id exists.
///
/// A policy with keys comes from an access file; ``local`` is the policy without keys.
public struct AccessPolicy: Hashable, Sendable {
    /// The public key by which the worker recognises a sender.
    ///
    /// A connected sender has proved that it holds the matching secret key.
    public typealias Key = PublicKey

    /// A principal of the policy, with its keys and grants.
    public struct Member: Hashable, Sendable {
        /// The principal's name, as records, verdicts and errors show it.
        public var name: Name
        /// The principal's keys, for instance one for each of its processes.
        public var keys: [Key]
        /// The principal's rights.
        public var grants: Grants

        /// Creates a principal called `name`.
        public init(_ name: Name, keys: [Key], grants: Grants = Grants()) {
            self.name = name
            self.keys = keys
            self.grants = grants
        }
    }

    /// The policy of a worker without keys.
    ///
    /// The policy has one principal, `local`: every process that can reach the worker's sockets. `local` may notify,
    /// run, complete and read everything, pause and resume, and administer the store. All runs belong to `local`, so it
    /// may cancel them, too.
    public static let local = AccessPolicy()

    /// Whether keys identify the senders.
    public let isKeyed: Bool
    /// The policy's digest, 16 hexadecimal digits.
    ///
    /// Policies with the same principals, keys, grants and groups have the same digest, however they were written.
    public let digest: String
    private let principals: [Key: Principal]
    private let grants: [String: Grants]
    /// The names of the members of each group.
    private let groups: [String: Set<String>]

    private init() {
        let everything = Self.localRights.map { ($0, Grant(allow: [">"])) }
        let grants = [Self.reservedName.text: Grants(Dictionary(uniqueKeysWithValues: everything))]
        self.init(isKeyed: false, [:], grants, [:])
    }

    private init(
        isKeyed: Bool,
        _ principals: [Key: Principal],
        _ grants: [String: Grants],
        _ groups: [String: Set<String>]
    ) {
        self.isKeyed = isKeyed
        self.principals = principals
        self.grants = grants
        self.groups = groups
        digest = Self.digest(of: Self.canonicalText(isKeyed: isKeyed, principals, grants, groups))
    }

    /// Creates a policy with these principals; nobody else may connect.
    ///
    /// - Parameters:
    ///   - members: The principals.
    ///   - groups: For each group, the names of its principals. The rules of gates name groups; a group gives no
    ///     rights.
    /// - Throws: ``WorkerError`` with code `definition` for a name or a key that is given twice, for a principal called
    ///   `local` (senders without a key) or `worker` (the worker itself), for a principal with the right
    ///   `act_as` and another right, and for a group with a member that is not a principal of the policy.
    public init(_ members: [Member], groups: [Name: Set<Name>] = [:]) throws(WorkerError) {
        var principals: [Key: Principal] = [:]
        var grants: [String: Grants] = [:]
        for member in members {
            let name = member.name.text
            guard member.name != Self.reservedName else {
                throw Errors.reservedPrincipal(name, means: "senders without a key")
            }
            guard member.name != Self.workerName else {
                throw Errors.reservedPrincipal(name, means: "the worker itself")
            }
            guard grants.updateValue(member.grants, forKey: name) == nil else {
                throw Errors.policy("The principal \"\(name)\" is defined twice.")
            }
            if let other = member.grants.rightBesideActing {
                throw Errors.rightBesideActing(name, other.rawValue)
            }
            for key in member.keys {
                guard principals.updateValue(Principal(name, key: key), forKey: key) == nil else {
                    throw Errors.policy("The key \(key) is listed twice.")
                }
            }
        }
        for (group, names) in groups {
            guard let unknown = names.first(where: { grants[$0.text] == nil }) else { continue }
            throw Errors.strangerInGroup("\(group)", "\(unknown)")
        }
        let named = groups.map { ($0.key.text, Set($0.value.map(\.text))) }
        self.init(isKeyed: true, principals, grants, Dictionary(uniqueKeysWithValues: named))
    }

    /// The name `local`, which no principal with a key may have.
    public static let reservedName: Name = "local"

    /// The name `worker`, which no principal with a key may have.
    ///
    /// It is the requester of the runs that the worker itself requests.
    public static let workerName: Name = "worker"

    /// Returns the principal that `key` belongs to; nil if the policy does not list the key.
    public func principal(forKey key: Key) -> Principal? { principals[key] }

    /// Whether `principal` sends its requests itself, or is a principal for which others can send requests.
    ///
    /// The policy must name such a principal, and must not grant it the right ``Right/actAs``.
    func mayBeActedFor(_ principal: Principal) -> Bool {
        principal.via == nil || grants[principal.name]?[.actAs].allow.isEmpty == true
    }

    /// The ruling that `via` may not use this right for `principal`.
    ///
    /// The result is nil if `via` may use the right, or if the principal sends its requests itself.
    func refusal(of right: Right, to principal: Principal) -> Ruling? {
        guard let via = principal.via else { return nil }
        let target = Target(text: "\(right.rawValue).\(principal.name)")
        return isKeyed && grants[via]?.letsAct(with: right, on: target) == true ? nil : .missing(.actAs, target)
    }

    /// Whether the policy has a principal with the name of `principal`.
    public func knows(_ principal: Principal) -> Bool { grants[principal.name] != nil }

    /// The rights of a principal; none for a principal that the policy does not name.
    func grants(of principal: Principal) -> Grants { grants[principal.name] ?? Grants() }

    /// The keys of all principals.
    public var keys: Set<Key> { Set(principals.keys) }

    /// The names of all principals, sorted.
    public var principalNames: [String] { grants.keys.sorted() }

    /// The names of all groups, sorted.
    public var groupNames: [String] { groups.keys.sorted() }

    /// The names of the members of a group; empty for a group that the policy does not have.
    public func group(_ name: String) -> Set<String> { groups[name] ?? [] }

    /// Whether the principal of this name has the right to complete a signal.
    ///
    /// If `via` is not nil, it must have the right to do so for the principal.
    func mayComplete(_ principal: String, via: String? = nil, _ signal: Name) -> Bool {
        ruling(for: Principal(principal, via: via), .complete, on: .name(signal)) == .allowed
    }

    /// Decides whether `principal` has a right on a target.
    ///
    /// For a request about one run, call ``ruling(for:_:on:known:)`` instead, because the run's owner needs no grant.
    public func ruling(for principal: Principal, _ right: Right, on target: Target) -> Ruling {
        if let refusal = refusal(of: right, to: principal) { return refusal }
        // Without keys, a right covers everything or nothing, so there are no patterns to compare.
        guard isKeyed else { return Self.isLocal(right, target) ? .allowed : .missing(right, target) }
        return grants[principal.name]?[right].covers(target) == true ? .allowed : .missing(right, target)
    }

    static let localRights: Set<Right> = [.notify, .run, .complete, .read]
    private static let storeVerbs: NamePattern = "store.>"

    /// Whether processes without a key have the right on the target.
    ///
    /// They have the ``localRights`` on every target. They may also administer the store, because it is on their
    /// machine.
    private static func isLocal(_ right: Right, _ target: Target) -> Bool {
        localRights.contains(right) || right == .admin && storeVerbs.covers(target.text)
    }
}

extension AccessPolicy {
    private static func digest(of text: String) -> String {
        let digest = SHA256.hash(data: Array(text.utf8))
        return digest.withUnsafeBytes { bytes in
            let word = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self).bigEndian
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
    }

    /// The content of a policy in one order, however it was written.
    private static func canonicalText(
        isKeyed: Bool,
        _ principals: [Key: Principal],
        _ grants: [String: Grants],
        _ groups: [String: Set<String>]
    ) -> String {
        let keys = principals.map { "key \($0.key) \($0.value.name)" }
        let rights = grants.flatMap { name, grants in ["principal \(name)"] + grants.lines.map { "\(name) \($0)" } }
        let members = groups.map { "group \($0.key) \($0.value.sorted().joined(separator: " "))" }
        return (["keyed \(isKeyed)"] + (keys + rights + members).sorted()).joined(separator: "\n")
    }
}
