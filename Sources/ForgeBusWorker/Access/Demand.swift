import ForgeBusProtocol

/// What a command asks the policy for.
enum Demand {
    /// What everybody may do.
    case nothing
    /// A right on what the request names.
    case right(AccessPolicy.Right, AccessPolicy.Target)

    /// What a command asks for.
    init(of command: Request.Command) {
        switch command {
        case .notify(let change): self = .right(.notify, .name(change.topic))
        case .run(let request): self = .right(.run, .name(request.pipeline))
        case .decide(let decision): self = .right(.complete, .name(decision.signal))
        case .show(let request):
            // Whose a run is decides, too: that is asked together with whether it is there.
            self = AccessPolicy.Kind(request.kind).map { .right(.read, .item($0, request.name)) } ?? .nothing
        case .list(let request): self = .right(.read, .all(request.kind.itemKind))
        case .watch(let request): self = .right(.read, .every(request.pattern))
        case .mode(let request): self = .right(.mode, .every(request.monitors))
        case .admin(let request): self = .right(.admin, .name(request.verb))
        // The same holds for what these do to a run.
        case .attach, .cancel, .redrive: self = .nothing
        case .hello, .unwatch, .ping: self = .nothing
        }
    }
}

extension AccessPolicy {
    /// What the policy says to a command; made of the command as it was spelled, never of what is known.
    func ruling(on command: Request.Command, of principal: Principal) -> Ruling {
        switch Demand(of: command) {
        case .nothing: .allowed
        case .right(let right, let target): ruling(for: principal, right, on: target)
        }
    }
}

extension AccessPolicy.Kind {
    /// What is shown; nil for a run, and for its history.
    fileprivate init?(_ kind: ItemKind) {
        switch kind {
        case .run, .history: return nil
        case .signal: self = .signal
        case .monitor: self = .monitor
        case .pipeline: self = .pipeline
        }
    }
}

extension ListKind {
    /// What the items of a page are.
    fileprivate var itemKind: AccessPolicy.Kind {
        switch self {
        case .runs: .run
        case .signals: .signal
        case .monitors: .monitor
        case .pipelines: .pipeline
        }
    }
}

extension AccessPolicy.Ruling {
    /// Why the request is refused, the same for whatever is there and whatever is not; nil if it is not refused.
    func refusal(of principal: AccessPolicy.Principal) -> BusError? {
        guard case .missing(let right, let target) = self, let missingGrant else { return nil }
        let grant = "`\(right.rawValue)` on \(target)"
        return BusError(
            .forbidden,
            "\(principal.name) has no grant of \(grant).",
            // Without keys, what touches everybody or the store is granted to nobody.
            next: principal.name == AccessPolicy.reservedName.text
                ? "Have the worker started with keys, and with an access file that grants it."
                : "Ask whoever runs the worker for the grant \(grant).",
            details: ["grant": .string(missingGrant)]
        )
    }
}

extension BusError {
    /// The key is nobody's, or nobody's any more; the same whatever was asked.
    static let unknownKey = BusError(
        .forbidden,
        "The key of this connection stands for nobody here.",
        next: "Ask whoever runs the worker to give the key to a principal in the access file."
    )
}
