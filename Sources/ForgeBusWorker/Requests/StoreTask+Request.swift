import ForgeBusProtocol
import ForgeBusStore

extension StoreTask {
    /// The store task of an ADMIN verb.
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
    static let noStore = BusError(
        .unknownVerb,
        "This worker has no store: its records live in its own books.",
        next: "Give the worker a store."
    )

    static var ledgerIsFull: BusError { .busy("ledger", "The answers of too many requests are kept.") }

    fileprivate static func badArgument(_ verb: Name, _ flaw: String) -> BusError {
        BusError(
            .badBody,
            "The verb \(verb) \(flaw).",
            next: "Send {} to store.verify and store.stats, {\"name\":…} to store.backup."
        )
    }
}
