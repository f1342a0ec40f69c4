import ForgeBusFleet
import ForgeBusProtocol
import ForgeBusWorker
import ZeroMQ

/// The workers that an inventory and its commands name so far; two of them never have the same name, endpoint or key.
struct Roster {
    /// The valid workers.
    private(set) var workers: [Inventory.Worker] = []
    /// The names and labels of all workers, also of those with a problem.
    private(set) var known: [(name: Name, labels: [String: String])] = []
    private let directory: String
    private var count = 0
    /// Where each worker is defined, for messages.
    private var places: [Name: String] = [:]
    /// The worker that has each endpoint.
    private var endpoints: [String: String] = [:]
    /// The worker that has each key, and the entry of the key.
    private var keys: [PublicKey: (owner: String, entry: Entry)] = [:]

    /// - Parameter directory: The directory of the inventory; relative paths of key files begin there.
    init(in directory: String) { self.directory = directory }

    /// Reads a mapping of names to workers, and records every problem.
    mutating func read(_ entry: Entry) {
        let next = "Write each worker as `NAME:`, with its keys below it and without a dash."
        guard let members = entry.members("a mapping of names to workers", next: next) else { return }
        if members.isEmpty { entry.note(Errors.noWorkers) }
        for member in members {
            count += 1
            guard count <= Inventory.maximumCount else {
                // The further workers have no further error.
                if count == Inventory.maximumCount + 1 {
                    member.note(Errors.tooManyWorkers(limit: Inventory.maximumCount))
                }
                return
            }
            read(member)
        }
    }

    private mutating func read(_ member: Member) {
        let name = member.checkedName
        if let name {
            if let place = places[name] { return member.note(Errors.workerTwice(name, definedAt: place)) }
            places[name] = [member.entry.problems.file, member.position.map { "\($0.line)" }].compactMap(\.self)
                .joined(separator: ":")
        }
        let fields = Fields(member.entry, .inventoryWorker)
        let labels = fields?["labels"].map(Self.labels) ?? [:]
        if let name { known.append((name, labels)) }
        guard let fields else { return }
        let endpoint = fields.required("endpoint")
            .flatMap { self.endpoint($0, of: member.name) }
        let key = key(fields, of: member.name)
        if let endpoint, !endpoint.isLocal, fields["key"] == nil, fields["key_file"] == nil {
            fields.entry.note(Errors.noWorkerKey(endpoint))
        }
        if let name, let endpoint {
            workers.append(Inventory.Worker(name, at: endpoint, key: key, labels: labels))
        }
    }

    // MARK: Endpoints

    private mutating func endpoint(_ entry: Entry, of owner: String) -> Endpoint? {
        guard let text = entry.text("an endpoint") else { return nil }
        let endpoint: Endpoint
        do throws(ZeroMQError) {
            endpoint = try Endpoint(text)
        } catch {
            entry.note(Errors.badValue(error))
            return nil
        }
        if endpoint.isWildcard { entry.note(Errors.wildcardWorker(text)) }
        if text.hasPrefix("inproc:") { entry.note(Errors.workerInProcess(text)) }
        if text.hasPrefix("ipc://"), !text.hasPrefix("ipc:///") { entry.note(Errors.relativeEndpoint(text)) }
        // The names of hosts are the same in capital letters; paths are not.
        let plain = text.hasPrefix("tcp:") ? text.lowercased() : text
        if let other = endpoints[plain] {
            entry.note(Errors.endpointTwice(text, of: owner, other))
        } else {
            endpoints[plain] = owner
        }
        return endpoint
    }

    // MARK: Keys

    private mutating func key(_ fields: Fields, of owner: String) -> PublicKey? {
        if fields["key"] != nil, fields["key_file"] != nil { fields.note(Errors.keyAndFile, at: "key_file") }
        guard let entry = fields["key"] ?? fields["key_file"],
            let key = fields["key"] == nil ? key(inFile: entry) : entry.text("a public key").flatMap({ key($0, entry) })
        else { return nil }
        if let other = keys[key] {
            entry.note(Errors.workerKeyTwice(of: owner, other.owner))
        } else {
            keys[key] = (owner, entry)
        }
        return key
    }

    /// Reads the public key in the certificate file that `entry` names.
    private func key(inFile entry: Entry) -> PublicKey? {
        guard let path = entry.text("the path of a certificate file") else { return nil }
        do throws(ConfigurationError) {
            let certificate = try certificate(path)
            guard certificate.keys == nil else { throw Errors.secretInKeyFile(path) }
            return key("\(certificate.publicKey)", entry)
        } catch {
            entry.note(error)
            return nil
        }
    }

    private func certificate(_ path: String) throws(ConfigurationError) -> Certificate {
        let file: SourceFile
        do throws(ConfigurationError) {
            file = try SourceFile(contentsOf: PathText.absolute(path, in: directory), mustBeOurs: true)
        } catch {
            throw Errors.keyFile(path, error)
        }
        do throws(ZeroMQError) { return try Certificate(parsing: file.text, from: path) } catch {
            throw Errors.badValue(error)
        }
    }

    private func key(_ text: String, _ entry: Entry) -> PublicKey? {
        do throws(WorkerError) {
            return try AccessPolicy.key(text)
        } catch {
            entry.note(Errors.badValue(error))
            return nil
        }
    }

    /// Records a problem for each secret key whose public key is also a key of a worker.
    func noteSecrets() {
        for key in AccessPolicy.secretHalves(among: Set(keys.keys)) {
            keys[key]?.entry.note(Errors.badValue(.secretKey))
        }
    }

    // MARK: Labels

    private static func labels(_ entry: Entry) -> [String: String] {
        let next = "Write each label with its value, such as {role: web, zone: a}."
        let members = entry.members("a mapping of labels to their values", next: next) ?? []
        if members.count > LabelText.maximumCount {
            entry.note(Errors.tooManyLabels(members.count, limit: LabelText.maximumCount))
        }
        var labels: [String: String] = [:]
        for member in members {
            guard LabelText.isValid(member.name) else {
                member.note(Errors.notLabel(member.name))
                continue
            }
            guard let value = member.entry.text("the value of a label") else { continue }
            if !LabelText.isValid(value) { member.entry.note(Errors.notLabel(value)) }
            labels[member.name] = value
        }
        return labels
    }
}

extension Member {
    /// Records a problem at the place of the member's key.
    fileprivate func note(_ error: ConfigurationError) { entry.problems.add(error, at: position, key: entry.key) }
}
