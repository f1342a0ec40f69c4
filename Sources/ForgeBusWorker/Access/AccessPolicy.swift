import ForgeBusProtocol

/// Who may do what.
///
/// Every message is authorised when it is handled, before anything is looked up.
///
/// This version knows one principal: `local`, every process that reaches a socket of this machine. It may notify, run,
/// complete and read. What tells processes of one machine apart, and lets others in, are keys.
struct AccessPolicy {
    /// Who speaks.
    struct Principal: Hashable, Sendable {
        /// The name records and verdicts show.
        let name: String
        /// What keeps ids of different senders apart in the ledger: the name, and without keys the sender's label too.
        let ledgerName: String

        /// A process of this machine that calls itself `source`.
        static func local(source: String?) -> Principal {
            Principal(name: "local", ledgerName: source.map { "local/\($0)" } ?? "local")
        }
    }

    /// What can be allowed.
    enum Right: String {
        case notify, run, complete, cancel, read, mode, admin
    }

    /// The right a command needs; nil for what everybody may.
    static func right(for command: Request.Command) -> Right? {
        switch command {
        case .notify: .notify
        case .run: .run
        case .decide: .complete
        case .list, .watch: .read
        case .mode: .mode
        case .admin: .admin
        // Whether the sender may see a run or another thing is decided together with whether it is there.
        case .attach, .cancel, .redrive, .show, .unwatch: nil
        case .hello, .ping: nil
        }
    }

    /// Whether `principal` has `right`.
    func allows(_ principal: Principal, _ right: Right) -> Bool { principal.name == "local" }
}
