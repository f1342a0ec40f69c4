import ForgeBusProtocol
import ForgeBusWorker

/// Reads the principals of an access file, and records every problem.
struct AccessDefinition {
    /// The valid principals.
    private(set) var members: [AccessPolicy.Member] = []
    /// The members of each group.
    private(set) var groups: [Name: Set<Name>] = [:]
    /// The tokens of all principals.
    private(set) var tokens: [AccessFile.Token] = []
    private var hashes: Set<String> = []
    private var roles: [String: AccessPolicy.Grants] = [:]
    /// The owner of each key, and the entry of the file that contains the key.
    private var keys: [AccessPolicy.Key: (owner: String, entry: Entry)] = [:]

    init(_ root: Entry) {
        guard let fields = Fields(root, .accessFile) else { return }
        for role in fields["roles"]?.members("a mapping of names to roles") ?? [] { read(role: role) }
        let principals = fields.required("principals")
        guard let principals, let named = principals.members("a mapping of names to principals") else { return }
        if named.isEmpty {
            principals.note(Errors.noPrincipals)
        }
        for principal in named { read(principal: principal) }
        let known = named.map(\.name)
        checkActing(of: principals, among: known)
        for group in fields["groups"]?.members("a mapping of names to groups") ?? [] {
            read(group: group, among: known)
        }
        noteSecrets()
    }

    private mutating func read(group: Member, among principals: [String]) {
        var names: Set<Name> = []
        for element in group.entry.someElements("a list of principals") ?? [] {
            guard let text = element.text("the name of a principal") else { continue }
            guard principals.contains(text), let name = try? Name(text) else {
                let guess = Spelling.guess(text, among: principals)
                element.note(Errors.unknownPrincipal(text, guess: guess))
                continue
            }
            if !names.insert(name).inserted {
                element.note(Errors.listedTwice(Printable.quoted(text)))
            }
        }
        if let name = group.checkedName { groups[name] = names }
    }

    private mutating func read(role: Member) {
        // A role with a problem of its own is in the file, too.
        roles[role.name] = AccessPolicy.Grants()
        guard role.checkedName != nil, let fields = Fields(role.entry, .role) else { return }
        roles[role.name] = grants(fields)
    }

    private mutating func read(principal: Member) {
        let name = checkedName(of: principal)
        guard let fields = Fields(principal.entry, .principal) else {
            return
        }
        let keys = fields.required("keys").map { readKeys($0, of: principal.name) }
        var grants = grants(fields)
        for role in fields["roles"].map(readRoles) ?? [] { grants.merge(role) }
        if let other = grants.rightBesideActing {
            principal.entry.note(Errors.rightBesideActing(other, of: principal.name))
        }
        if let name, let entry = fields["tokens"] { tokens += TokenDefinition(owner: name).tokens(entry, &hashes) }
        if let name, let keys { members.append(AccessPolicy.Member(name, keys: keys, grants: grants)) }
    }

    /// Records a problem for each pattern of `act_as` that names a principal which the file does not have.
    ///
    /// A misspelt denial would otherwise deny nothing.
    private func checkActing(of principals: Entry, among known: [String]) {
        for member in members {
            let grant = member.grants[.actAs]
            for pattern in grant.allow + grant.deny {
                let name = pattern.text.drop { $0 != "." }.dropFirst()
                guard !name.isEmpty, !name.contains("*"), !name.contains(">"), !known.contains(String(name)) else {
                    continue
                }
                let guess = Spelling.guess(String(name), among: known)
                principals.note(Errors.actingForNobody(member.name, as: String(name), guess: guess))
            }
        }
    }

    private func checkedName(of principal: Member) -> Name? {
        guard let name = principal.checkedName else { return nil }
        let reserved = [
            AccessPolicy.reservedName: "senders without a key", AccessPolicy.workerName: "the worker itself",
        ]
        guard let use = reserved[name] else { return name }
        let error = Errors.reservedPrincipal(name, for: use)
        principal.entry.problems.add(error, at: principal.position, key: principal.entry.key)
        return nil
    }

    // MARK: Keys

    private mutating func readKeys(_ entry: Entry, of owner: String) -> [AccessPolicy.Key] {
        var read: [AccessPolicy.Key] = []
        for element in entry.elements("a list of public keys") ?? [] {
            guard let key = key(element) else { continue }
            if let other = keys[key] {
                element.note(Errors.keyListedTwice(by: other.owner == owner ? nil : other.owner))
                continue
            }
            keys[key] = (owner, element)
            read.append(key)
        }
        return read
    }

    private func key(_ entry: Entry) -> AccessPolicy.Key? {
        guard let text = entry.text("a public key") else { return nil }
        do throws(WorkerError) {
            return try AccessPolicy.key(text)
        } catch {
            entry.note(Errors.badValue(error))
            return nil
        }
    }

    /// Records a problem for each secret key whose public key is also in the file.
    private func noteSecrets() {
        for key in AccessPolicy.secretHalves(among: Set(keys.keys)) {
            keys[key]?.entry.note(Errors.badValue(.secretKey))
        }
    }

    // MARK: Grants

    private func readRoles(_ entry: Entry) -> [AccessPolicy.Grants] {
        (entry.someElements("a list of roles", isOptional: true) ?? []).compactMap { element in
            guard let name = element.text("the name of a role") else { return nil }
            if let role = roles[name] { return role }
            element.note(Errors.unknownRole(name, guess: Spelling.guess(name, among: roles.keys.sorted())))
            return nil
        }
    }

    private func grants(_ fields: Fields) -> AccessPolicy.Grants {
        var grants = AccessPolicy.Grants()
        for right in AccessPolicy.Right.allCases {
            if let entry = fields[right.rawValue] { grants[right] = GrantDefinition(right: right).grant(entry) }
        }
        return grants
    }
}
