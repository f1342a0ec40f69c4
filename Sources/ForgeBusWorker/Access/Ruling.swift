public import ForgeBusProtocol

extension AccessPolicy {
    /// The decision of an access policy on a request.
    public enum Ruling: Hashable, Sendable {
        /// The sender may make the request.
        case allowed
        /// The sender has no grant of this right on that target.
        case missing(Right, Target)

        /// The missing grant, such as `notify on stock.changed`; nil if the request is allowed.
        public var missingGrant: String? {
            switch self {
            case .allowed: nil
            case .missing(let right, let target): "\(right.rawValue) on \(target)"
            }
        }
    }

    /// The facts about one run that a ruling depends on.
    public struct KnownRun: Hashable, Sendable {
        /// The principal that requested the run.
        public var owner: String
        /// The name of the run's pipeline.
        public var pipeline: Name

        /// Creates the facts about a run of `pipeline` that `owner` requested.
        public init(owner: String, pipeline: Name) {
            self.owner = owner
            self.pipeline = pipeline
        }
    }

    /// Decides on a command by its text, never by the state of the worker.
    ///
    /// This method allows each command whose ruling depends on the owner of a run: ATTACH, CANCEL, REDRIVE, and SHOW of
    /// a run or a history. The owner needs no grant, so the worker decides on such a command only after it has looked
    /// up the run.
    func ruling(on command: Request.Command, of principal: Principal) -> Ruling {
        let rules = command.rules
        if let refusal = rules.right.flatMap({ refusal(of: $0, to: principal) }) { return refusal }
        // The owner of a run needs no grant, but nobody may act for an owner that the policy does not name.
        if let right = rules.right, !mayBeActedFor(principal) {
            return .missing(right, Target(text: rules.target ?? ">"))
        }
        guard let right = rules.right, let target = rules.target else { return .allowed }
        // Without keys nobody has the right `mode`. Somebody must be able to pause and resume, so everybody may. The
        // verb MODE is still refused.
        if !isKeyed, case .pause = command { return .allowed }
        return ruling(for: principal, right, on: Target(text: target))
    }

    /// The grant that allows an audited command, such as `complete:deploy.>`; nil for other commands, and without keys.
    ///
    /// Call this method only for an allowed command. If the ruling depends on the owner of a run, the method returns
    /// nil.
    func grant(for command: Request.Command, of principal: Principal) -> String? {
        guard isKeyed else { return nil }
        let rules = command.rules
        guard rules.isLedgered, let right = rules.right, right != .run, let target = rules.target else { return nil }
        return grant(of: right, on: Target(text: target), to: principal)
    }

    /// The grant that allows `principal` to use a right on a run, or `owner` for the run's owner.
    ///
    /// The result is nil without keys, for an unknown run, and if no grant covers the run.
    func grant(for principal: Principal, _ right: Right, on run: Name, known: KnownRun?) -> String? {
        guard isKeyed, let known else { return nil }
        if known.owner == principal.name { return "owner" }
        return grant(of: right, on: Self.target(of: right, run, known.pipeline), to: principal)
    }

    private func grant(of right: Right, on target: Target, to principal: Principal) -> String? {
        grants(of: principal)[right].allow.first { $0.covers(target.text) }.map { "\(right.rawValue):\($0)" }
    }

    /// Decides whether a principal may read or cancel a run.
    ///
    /// The owner of the run always may. Other principals need a grant: to read, a grant on the run; to cancel, a grant
    /// on the run's pipeline. Without keys, every sender may.
    ///
    /// Call this method after looking up the run. A principal without a grant gets the same ruling for a missing run
    /// and for another principal's run, so a ruling never shows which ids exist. Only a principal with the right on all
    /// runs learns that a run is unknown.
    ///
    /// - Parameters:
    ///   - principal: The sender of the request.
    ///   - right: `read` or `cancel`.
    ///   - run: The run's id, as the request spelled it.
    ///   - known: The run's owner and pipeline; nil if no run has that id.
    /// - Returns: `allowed`, also for a missing run if the principal may learn that it is missing; otherwise the
    ///   missing grant, made from the request.
    public func ruling(for principal: Principal, _ right: Right, on run: Name, known: KnownRun?) -> Ruling {
        if let refusal = refusal(of: right, to: principal) { return refusal }
        // Without keys every run belongs to everybody, also one that the worker itself requested.
        if !isKeyed || known?.owner == principal.name && mayBeActedFor(principal) { return .allowed }
        let target = known.map { Self.target(of: right, run, $0.pipeline) } ?? Self.everyRun(for: right)
        guard ruling(for: principal, right, on: target) == .allowed else { return .missing(right, .name(run)) }
        return .allowed
    }

    private static func target(of right: Right, _ run: Name, _ pipeline: Name) -> Target {
        right == .read ? .run(run, of: pipeline) : .name(pipeline)
    }

    private static func everyRun(for right: Right) -> Target { right == .read ? .all(.run) : .every(">") }
}

// Waits.
extension AccessPolicy {
    /// The error for a principal that may send no request any more on the connection where it waits; nil if it may.
    ///
    /// It is the error that the same request would get now: the policy no longer has the connection's key, or the
    /// principal itself.
    func dismissal(of principal: Principal) -> BusError? {
        let sender = principal.via ?? principal.name
        if let key = principal.key {
            guard let owner = self.principal(forKey: key) else { return Errors.unknownKey }
            return owner.name == sender ? nil : Errors.keyOfAnother(sender)
        }
        return knows(Principal(sender)) ? nil : Errors.unknownPrincipal(sender, isKeyed: isKeyed)
    }

    /// The error that ends the wait for the answers to a command; nil if the principal may wait on.
    func endOfWait(_ command: Request.Command, of principal: Principal) -> BusError? {
        dismissal(of: principal) ?? ruling(on: command, of: principal).refusal(of: principal)
    }
}

extension AccessPolicy.Ruling {
    /// The error that refuses the request, the same whether or not the target exists; nil if the request is allowed.
    ///
    /// If the request is about one run (`isOfRun`), the next step says whether to ask for a grant on the run or on its
    /// pipeline.
    func refusal(of principal: AccessPolicy.Principal, isOfRun: Bool = false) -> BusError? {
        guard case .missing(let right, let target) = self else { return nil }
        let kind: Errors.MissingGrant =
            switch right {
            case .actAs: .actAs(principal.name)
            case .read where isOfRun: .readingRun
            case _ where isOfRun: .run(target.text)
            case _: .other
            }
        let name = right == .actAs ? principal.via ?? principal.name : principal.name
        return Errors.missingGrant(name, right: right.rawValue, target: target.text, kind)
    }
}
