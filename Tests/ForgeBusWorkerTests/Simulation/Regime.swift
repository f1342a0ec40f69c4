import ForgeBusProtocol

@testable import ForgeBusWorker

/// Which of two access policies holds in the simulated worker, and what each of them means, once more in other words.
enum Regime: CaseIterable {
    /// `ada` may do everything, `bob` nearly, `eve` little.
    case usual
    /// `ada` has one key less, `bob` may neither read nor set modes nor pause, `carl` may do nothing, `eve` may begin nothing and read
    /// nothing; the groups have other members.
    case strict

    private static let policies = allCases.map { AccessPolicy(of: $0) }

    var policy: AccessPolicy {
        switch self {
        case .usual: Self.policies[0]
        case .strict: Self.policies[1]
        }
    }

    /// Which one a policy is.
    init(_ policy: AccessPolicy) { self = policy == Regime.usual.policy ? .usual : .strict }

    /// Whether the key of this client stands for somebody.
    func stands(client: Int) -> Bool { self == .usual || client != 1 }

    /// Whether somebody may know of things, apart from monitors and what it began itself.
    private func reads(_ principal: String) -> Bool { principal == "ada" || self == .usual && principal == "bob" }

    private func readsMonitors(_ principal: String) -> Bool { reads(principal) || self == .usual && principal == "eve" }

    /// Whether somebody may hear of a run.
    func mayHear(_ principal: String, ofRunOf owner: String) -> Bool { principal == owner || reads(principal) }

    /// Whether somebody may be told of an event.
    func mayWatch(_ subject: EventSubject, _ principal: String) -> Bool {
        subject.text.hasPrefix("monitor.") ? readsMonitors(principal) : reads(principal)
    }

    /// Whether somebody may notify on a topic.
    func mayNotify(_ topic: Name, _ principal: String) -> Bool {
        principal != "carl" && (principal != "eve" || topic == "b.x")
    }

    /// Whether somebody may complete signals.
    func completes(_ principal: String) -> Bool {
        principal == "ada" || principal == "bob" || self == .usual && principal == "carl"
    }

    /// Who is in a group.
    func members(of group: String) -> Set<String> {
        switch (group, self) {
        case ("release", .usual): ["ada", "bob"]
        case ("release", .strict): ["bob", "carl"]
        case ("managers", .usual): ["carl", "eve"]
        case ("managers", .strict): ["carl", "ada"]
        default: []
        }
    }

    /// Whether the gateway may not ask that for `bob`.
    func isBarredForGateway(_ command: Request.Command) -> Bool {
        switch command.rules.right {
        case nil, .complete, .notify, .run: false
        case .read, .cancel, .mode: self == .strict
        case .admin, .actAs: true
        }
    }

    /// Whether somebody may not even ask that, whatever is known.
    func isBarred(_ command: Request.Command, of sender: AccessPolicy.Principal) -> Bool {
        if sender.via != nil, isBarredForGateway(command) { return true }
        let principal = sender.name
        return switch command {
        case .admin: principal != "ada"
        case .decide, .withdraw: !completes(principal)
        case .mode, .pause: principal == "carl" || principal == "eve" || self == .strict && principal == "bob"
        case .notify(let change): !mayNotify(change.topic, principal)
        case .run(let request):
            principal == "carl" || principal == "eve" && (self == .strict || request.pipeline != "p")
        case .list(let request): request.kind == .monitors ? !readsMonitors(principal) : !reads(principal)
        case .watch(let request): request.pattern == "monitor.>" ? !readsMonitors(principal) : !reads(principal)
        case .show(let request):
            switch request.kind {
            case .signal, .pipeline, .worker: !reads(principal)
            case .monitor: !readsMonitors(principal)
            case .run, .history, .output: false
            }
        default: false
        }
    }
}

extension AccessPolicy {
    fileprivate init(of regime: Regime) {
        let all = Grant(allow: [">"])
        var bob = Grants([.notify: all, .complete: all, .run: all, .cancel: all])
        var eve = Grants([.notify: Grant(allow: ["b.>"])])
        var carl = Grants()
        if regime == .usual {
            carl[.complete] = all
            bob.merge(Grants([.read: all, .mode: all]))
            eve.merge(Grants([.run: Grant(allow: ["p"]), .read: Grant(allow: ["monitor.>"])]))
        }
        let ada = Grants(Dictionary(uniqueKeysWithValues: Right.own.map { ($0, all) }))
        let acting: Grant =
            regime == .usual
            ? Grant(allow: [">", "mode.bob"], deny: ["admin.*"]) : Grant(allow: ["complete.bob", "notify.>", "run.*"])
        let grants: [Name: Grants] = [
            "ada": ada, "bob": bob, "carl": carl, "eve": eve, "gate": Grants([.actAs: acting]),
        ]
        let members = grants.map { name, grants in
            let keys = BusSetting.clients.enumerated().filter {
                $0.element.name == name && regime.stands(client: $0.offset)
            }
            return Member(name, keys: keys.map(\.element.key), grants: grants)
        }
        let names: [Name] = ["release", "managers"]
        let groups = Dictionary(
            uniqueKeysWithValues: names.map { ($0, Set(regime.members(of: $0.text).map { Name(unchecked: $0) })) }
        )
        do throws(WorkerError) { try self.init(members, groups: groups) } catch { fatalError(error.description) }
    }
}
