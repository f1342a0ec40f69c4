#if PostgreSQL
import ForgeBusProtocol
import ForgeBusStore

extension StoreError {
    /// Converts any error that occurred with the store of a worker.
    init(_ error: any Error, _ options: PostgreSQLStoreOptions) {
        switch error {
        case let error as StoreError: self = error
        case let flaw as AuditFlaw: self = Errors.damaged(options.name, flaw)
        case let failure as PostgresFailure: self.init(failure, options)
        case is CancellationError: self = Errors.givenUp(options.name)
        default: self = Errors.failed(options.name, error)
        }
    }

    init(_ failure: PostgresFailure, _ options: PostgreSQLStoreOptions) {
        if let loss = failure.loss {
            self = loss
            return
        }
        let name = Printable.quoted(options.name)
        let cause = Errors.cannotBeUsed(name, failure.cause)
        switch failure {
        case .unsuitable(let error): self = error
        case .warned: self.init(.unreachable, cause, next: Errors.checkReplicas)
        case .lost(Errors.noMemory): self.init(.unreachable, cause, next: Errors.freeMemory)
        case .lost: self.init(.unreachable, cause, next: Errors.toReach(failure.cause))
        case .refused(let state, _):
            switch state {
            case "FB002": self = Errors.foreignCommits(of: name, failure.cause)
            case "FB007": self.init(.unreachable, cause, next: Errors.nameReplicas)
            case "FB010": self.init(.unavailable, cause, next: Errors.turnFsyncOn)
            case "42501": self.init(.unavailable, cause, next: Errors.giveRights)
            case "3F000", "42P01", "42883", "42703": self.init(.unsound, cause, next: Errors.incompleteSchema)
            case "53100":
                self.init(.inputOutput, cause, next: "Free disk space on the PostgreSQL server, then try again.")
            default: self.init(.inputOutput, cause, next: "Read the PostgreSQL server's log, then try again.")
            }
            kind = .refused(state: state)
        }
    }
}
#endif
