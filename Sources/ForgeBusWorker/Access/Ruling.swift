public import ForgeBusProtocol

extension AccessPolicy {
    /// What the policy says to a request.
    public enum Ruling: Hashable, Sendable {
        /// The sender may do it.
        case allowed
        /// The sender has no grant of this right on that target.
        case missing(Right, Target)

        /// The grant that is missing, such as `notify on stock.changed`; nil if none is.
        public var missingGrant: String? {
            switch self {
            case .allowed: nil
            case .missing(let right, let target): "\(right.rawValue) on \(target)"
            }
        }
    }

    /// What a ruling about one run rests on.
    public struct KnownRun: Hashable, Sendable {
        /// The principal that asked for it.
        public var owner: String
        /// What it is a run of.
        public var pipeline: PipelineName

        /// A run of `pipeline` that `owner` asked for.
        public init(owner: String, pipeline: PipelineName) {
            self.owner = owner
            self.pipeline = pipeline
        }
    }

    /// What the policy says to a command; made of the command as it was spelled, never of what is known.
    ///
    /// What a command does to a run passes: whose the run is decides, too, and is asked once it was looked for.
    func ruling(on command: Request.Command, of principal: Principal) -> Ruling {
        let rules = command.rules
        guard let right = rules.right, let target = rules.target else { return .allowed }
        return ruling(for: principal, right, on: Target(text: target))
    }

    /// What the policy says to `principal` who wants to read or cancel a run: its own always, others by its grants on their pipelines.
    ///
    /// To be asked once the run was looked for. Whoever has no grant gets the same ruling for a run that is not there
    /// and for one that is somebody else's, so it tells nobody which ids exist; that a run is unknown is said to those
    /// only who may do this to all runs.
    ///
    /// - Parameters:
    ///   - principal: Who asks.
    ///   - right: `read` or `cancel`.
    ///   - run: The run's id, as the request spelled it.
    ///   - known: What is known of the run; nil if there is none of that id.
    /// - Returns: `allowed`, also for a run that is not there if it may be said; or what is missing, made of the request.
    public func ruling(for principal: Principal, _ right: Right, on run: RunID, known: KnownRun?) -> Ruling {
        // Without keys every run is everybody's own, so nobody is told anything new.
        if known?.owner == principal.name || known == nil && !isKeyed { return .allowed }
        let target = known.map { Self.target(of: right, run, $0.pipeline) } ?? Self.everyRun(for: right)
        guard ruling(for: principal, right, on: target) == .allowed else { return .missing(right, .name(run)) }
        return .allowed
    }

    private static func target(of right: Right, _ run: RunID, _ pipeline: PipelineName) -> Target {
        right == .read ? .run(run, of: pipeline) : .name(pipeline)
    }

    private static func everyRun(for right: Right) -> Target { right == .read ? .all(.run) : .every(">") }
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
