import ForgeBusProtocol
import ForgeBusStore

extension StoreTask {
    /// The store task of an ADMIN verb.
    ///
    /// - Throws: `BusError` with code `unknown_verb`, and `bad_body` for arguments that the verb does not take.
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
                throw .badArgument(request.verb, "needs a valid `name` for the copy")
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
    static let noStore = BusError(
        .unknownVerb,
        "This worker has no store, so it cannot perform store tasks.",
        next: "Start the worker with a store."
    )

    static var ledgerIsFull: BusError { .busy("ledger", "The worker keeps as many requests as its limit allows.") }

    fileprivate static func badArgument(_ verb: Name, _ flaw: String) -> BusError {
        BusError(
            .badBody,
            "The verb \(verb) \(flaw).",
            next: "Send {} with store.verify and store.stats, {\"name\":…} with store.backup."
        )
    }
}
