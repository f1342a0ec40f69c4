public import ForgeBusProtocol

extension AccessPolicy {
    /// The policy's answer to a request.
    public enum Ruling: Hashable, Sendable {
        /// The sender may do it.
        case allowed
        /// The sender has no grant of this right on that target.
        case missing(Right, Target)

        /// The grant that is missing, such as `notify on stock.changed`, or nil.
        public var missingGrant: String? {
            switch self {
            case .allowed: nil
            case .missing(let right, let target): "\(right.rawValue) on \(target)"
            }
        }
    }

    /// The facts about one run that a ruling depends on.
    public struct KnownRun: Hashable, Sendable {
        /// The principal that requested it.
        public var owner: String
        /// Its pipeline.
        public var pipeline: Name

        /// A run of `pipeline` that `owner` requested.
        public init(owner: String, pipeline: Name) {
            self.owner = owner
            self.pipeline = pipeline
        }
    }

    /// Rules on a command as written, never on what exists.
    ///
    /// It allows commands on one run: the run's owner counts too, so the caller rules on them after looking up the run.
    func ruling(on command: Request.Command, of principal: Principal) -> Ruling {
        let rules = command.rules
        guard let right = rules.right, let target = rules.target else { return .allowed }
        return ruling(for: principal, right, on: Target(text: target))
    }

    /// Rules on reading or cancelling a run: its owner always may, others need a grant on its pipeline.
    ///
    /// Call it after looking up the run. A principal without a grant gets the same ruling for a missing run and for
    /// somebody else's, so a ruling never shows which ids exist. Only a principal with the right on all runs learns
    /// that a run is unknown.
    ///
    /// - Parameters:
    ///   - principal: Who asks.
    ///   - right: `read` or `cancel`.
    ///   - run: The run's id, as the request spelled it.
    ///   - known: The run's owner and pipeline; nil if no run has that id.
    /// - Returns: `allowed`, also for a missing run if the principal may know that; otherwise the missing grant, made
    ///   from the request.
    public func ruling(for principal: Principal, _ right: Right, on run: Name, known: KnownRun?) -> Ruling {
        // Without keys every run belongs to everybody, so this shows nothing new.
        if known?.owner == principal.name || known == nil && !isKeyed { return .allowed }
        let target = known.map { Self.target(of: right, run, $0.pipeline) } ?? Self.everyRun(for: right)
        guard ruling(for: principal, right, on: target) == .allowed else { return .missing(right, .name(run)) }
        return .allowed
    }

    private static func target(of right: Right, _ run: Name, _ pipeline: Name) -> Target {
        right == .read ? .run(run, of: pipeline) : .name(pipeline)
    }

    private static func everyRun(for right: Right) -> Target { right == .read ? .all(.run) : .every(">") }
}

extension AccessPolicy.Ruling {
    /// Why the request is refused, the same whether or not its target exists; nil if it is allowed.
    func refusal(of principal: AccessPolicy.Principal) -> BusError? {
        guard case .missing(let right, let target) = self, let missingGrant else { return nil }
        let grant = "`\(right.rawValue)` on \(target)"
        return BusError(
            .forbidden,
            "\(principal.name) has no grant of \(grant).",
            // Without keys, nobody has a right beyond those of `local`.
            next: principal.name == AccessPolicy.reservedName.text
                ? "Have the worker started with keys, and with an access file that grants it."
                : "Ask whoever runs the worker for the grant \(grant).",
            details: ["grant": .string(missingGrant)]
        )
    }
}

extension BusError {
    /// The key belongs to no principal, or no longer does; the same error for every request.
    static let unknownKey = BusError(
        .forbidden,
        "The key of this connection stands for nobody here.",
        next: "Ask whoever runs the worker to give the key to a principal in the access file."
    )
}
