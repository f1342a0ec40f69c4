import ForgeBusProtocol
import ForgeBusStore
import ZeroMQ

/// What an operator asked of the store, and everybody who is to hear what came of it.
struct Performing {
    let first: Received
    var others: [Received] = []
}

/// What operators ask: the store does it, beside everything else, and then it is answered.
extension WorkerCore {
    /// Has the store do it, once for all connections that ask under this id.
    mutating func perform(_ task: StoreTask, _ received: Received) throws(BusError) {
        guard configuration.keepsRecords else {
            throw BusError(
                .unknownVerb,
                "This worker has no store: its records live in its own books.",
                next: "Give the worker a store."
            )
        }
        guard let known = performing[received.key] else {
            guard performing.count < configuration.limits.storeTasks else {
                throw .busy("admin", "The store is busy with what operators asked.")
            }
            if isShort, case .backup = task {
                throw .busy("disk", "The disk of the store is nearly full: there is no room for a copy.")
            }
            performing[received.key] = Performing(first: received)
            return emit(.perform(task, received.key))
        }
        let callers = [known.first.caller] + known.others.map(\.caller)
        if callers.contains(received.caller) { return }
        guard known.others.count < configuration.limits.attachedConnections else {
            throw .busy("attached", "Too many connections wait for this.")
        }
        performing[received.key]?.others.append(received)
    }

    /// The store has done it, or could not.
    mutating func performed(_ key: RequestKey, _ result: Result<JSONObject, StoreError>, at now: Moment) {
        guard let asked = performing.removeValue(forKey: key) else { return }
        let id = asked.first.request.id
        let content: Answer.Content
        switch result {
        case .success(let details):
            let report = StateReport(
                .done,
                durability: configuration.durability,
                retention: configuration.retention,
                details: details
            )
            take(asked.first, .confirmation(report), at: now)
            audit(report, asked.first, at: now)
            content = .ok(report)
        case .failure(let error): content = .error(BusError(.storeFailed, error.message, next: error.next))
        }
        // Whose key was taken away meanwhile hears nothing more.
        for asking in [asked.first] + asked.others where access.stands(asking.principal) {
            emit(.answer(Answer(to: id, content), to: asking.caller))
        }
    }
}

extension StoreTask {
    /// What a verb of ADMIN asks of the store.
    ///
    /// - Throws: ``BusError`` with code `unknown_verb`, and `bad_body` for arguments that the verb does not take.
    init(_ request: AdminRequest) throws(BusError) {
        let keys = request.arguments.entries.map(\.key)
        switch request.verb.text {
        case "store.verify", "store.stats":
            if let key = keys.first { throw .badArgument(request.verb, "takes no argument \(Printable.quoted(key))") }
            self = request.verb == "store.verify" ? .verify : .stats
        case "store.backup":
            if let key = keys.first(where: { $0 != "name" }) {
                throw .badArgument(request.verb, "takes no argument \(Printable.quoted(key))")
            }
            guard let name = request.arguments["name"]?.string.flatMap({ try? Name($0) }) else {
                throw .badArgument(request.verb, "needs the `name` of the copy, a name of its own grammar")
            }
            self = .backup(name: name)
        default:
            throw BusError(
                .unknownVerb,
                "This worker knows no verb \(Printable.quoted(request.verb.text)).",
                next: "Send one of store.verify, store.stats, store.backup."
            )
        }
    }
}

extension BusError {
    fileprivate static func badArgument(_ verb: Name, _ flaw: String) -> BusError {
        BusError(
            .badBody,
            "The verb \(verb) \(flaw).",
            next: "Send {} to store.verify and store.stats, {\"name\":…} to store.backup."
        )
    }
}
